import { parseDataField } from '@antelope-history/data-fields';
import { copyReceipt } from '@antelope-history/records';
import type { AccountTrace, StoreReader } from '@antelope-history/store';
import { copyRows } from '@antelope-history/store/compare-stores';
import { EVERY_ACTION } from '@antelope-history/store/contract';

const ALL = { ...EVERY_ACTION, limit: 100_000 };

const withCopies = (rows: AccountTrace[]): AccountTrace[] =>
  copyRows(rows).map((row) => ({ ...row, trace: { ...row.trace, receipt: copyReceipt(row.trace.receipt) } }));

/**
 * Expects that a migrated store answers what a migration is for as one does that this version wrote: the traces of each account
 * by position, and each account as the value of each data field. Returns how many of both there are.
 */
export async function expectSameLists(
  migrated: StoreReader,
  fresh: StoreReader,
  dataFields: readonly string[],
): Promise<{ traces: number; values: number }> {
  const { rows } = await fresh.getActions(ALL);
  const accounts = new Set(
    rows.flatMap(({ action }) => [
      ...action.traces.map(({ receiver }) => receiver),
      ...action.authorization.map(({ actor }) => actor),
    ]),
  );
  let [traces, values] = [0, 0];
  for (const account of accounts) {
    const select = (count: number) => ({ first: 0, last: count - 1 });
    const [ours, theirs] = [
      await migrated.getAccountTraces({ account, select }),
      await fresh.getAccountTraces({ account, select }),
    ];
    expect(withCopies(ours.rows)).toEqual(withCopies(theirs.rows));
    traces += ours.rows.length;
    for (const key of dataFields) {
      const query = { ...ALL, data: [{ fields: [parseDataField(key)!], text: account }] };
      const [found, wanted] = [await migrated.getActions(query), await fresh.getActions(query)];
      expect(copyRows(found.rows)).toEqual(copyRows(wanted.rows));
      values += found.rows.length;
    }
  }
  return { traces, values };
}
