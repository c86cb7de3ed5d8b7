import { DataFields, parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import type { StoredAction } from '../stored';
import fc from 'fast-check';
import type { ActionFilter, ActionsQuery, Bound, DataCondition } from '../history-store';
import { CONTRACT_DATA_FIELDS } from './data-plans';
import { timeMsOf } from './model-actions';
import type { ModelHistory } from './model-history';
import { storedActionsOf } from './model-rows';

/** Sample queries of every form, most of them with matches in the chain. */
export function sampleQueries(model: ModelHistory, count: number, seed: number): ActionsQuery[] {
  return fc.sample(actionsQuery(model), { numRuns: count, seed });
}

function actionsQuery(model: ModelHistory): fc.Arbitrary<ActionsQuery> {
  const blocks = model.historyBlocks;
  const rows = blocks.flatMap(storedActionsOf);
  const withData = rows.filter((row) => model.dataOf(row).size > 0);
  const subject =
    rows.length === 0
      ? fc.constant(undefined)
      : fc.oneof(fc.constantFrom(...rows), fc.constantFrom(...(withData.length > 0 ? withData : rows)));
  return fc.tuple(subject, subject).chain(([row, other]) =>
    fc
      .record({
        account: accountAbout(row),
        filters: filtersAbout(row, other),
        data: dataAbout(row, other, model),
        after: fc.option(bound(blocks), { nil: undefined }),
        before: fc.option(bound(blocks), { nil: undefined }),
        parent: parentAbout(row, other),
        order: fc.constantFrom('asc' as const, 'desc' as const),
        skip: fc.oneof(
          { weight: 3, arbitrary: fc.constant(0) },
          { weight: 2, arbitrary: fc.nat(40) },
          { weight: 1, arbitrary: fc.nat(rows.length + 10) },
        ),
        limit: fc.oneof(fc.constantFrom(1, 20, 1000), fc.integer({ min: 1, max: 50 })),
        window: fc.constantFrom('skip' as const, 'skip' as const, 'newest' as const),
      })
      .map((query) => (query.window === 'newest' ? { ...query, skip: 0 } : query)),
  );
}

const NOBODY = 'nobody.here';

function accountAbout(row: StoredAction | undefined): fc.Arbitrary<string | undefined> {
  if (!row) return fc.constantFrom(undefined, NOBODY);
  const receivers = row.action.traces.map(({ receiver }) => receiver);
  const authorisers = row.action.authorization.map(({ actor }) => actor);
  return fc.constantFrom(undefined, undefined, NOBODY, ...receivers, ...receivers, ...authorisers);
}

/** No filter, one, or overlapping ones: of two actions, with wildcards on either side, and without matches. */
function filtersAbout(row: StoredAction | undefined, other: StoredAction | undefined): fc.Arbitrary<ActionFilter[]> {
  const parts: ActionFilter[] = [{ account: NOBODY }, { name: NOBODY }, { account: NOBODY, name: NOBODY }];
  for (const about of [row, row, row, other]) {
    if (!about) continue;
    const { account, name } = about.action;
    parts.push({ account }, { name }, { account, name }, { account, name: NOBODY });
  }
  if (row && other) parts.push({ account: row.action.account, name: other.action.name });
  const several = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 });
  return fc.oneof(fc.constant<ActionFilter[]>([]), fc.constantFrom(...parts.map((part) => [part])), several);
}

const FIELDS = new DataFields(CONTRACT_DATA_FIELDS).keys.flatMap((key) => parseDataField(key) ?? []);

/** No condition, one that a row matches, several of one row or of two, and those without matches. */
function dataAbout(
  row: StoredAction | undefined,
  other: StoredAction | undefined,
  model: ModelHistory,
): fc.Arbitrary<DataCondition[]> {
  const conditions: DataCondition[] = [{ fields: FIELDS.slice(0, 1), text: NOBODY }];
  for (const about of [row, row, row, other]) {
    for (const [key, text] of about ? model.dataOf(about) : []) {
      const field = FIELDS.find((each) => each.key === key);
      const alike = FIELDS.filter((each) => each.field === field?.field && each.contract !== field.contract);
      if (field) conditions.push({ fields: [field], text }, { fields: [field, ...alike], text });
    }
  }
  const one = fc.constantFrom(...conditions).map((condition) => [condition]);
  const several = fc.array(fc.constantFrom(...conditions), { minLength: 2, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<DataCondition[]>([]) },
    { weight: 2, arbitrary: one },
    { weight: 1, arbitrary: several },
  );
}

function parentAbout(
  row: StoredAction | undefined,
  other: StoredAction | undefined,
): fc.Arbitrary<ActionsQuery['parent']> {
  const sequences = [row, other].flatMap((about) => (about ? sequencesAround(about) : []));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constant('root' as const) },
    { weight: 2, arbitrary: fc.constantFrom(0, ...sequences).map((sequence) => ({ sequence })) },
  );
}

/** The sequences of the action, its notifications and its neighbours, one of which may have created it. */
function sequencesAround({ action }: StoredAction): number[] {
  const own = action.traces.map(({ receipt }) => receipt.globalSequence);
  const first = own[0] ?? 0;
  const near = [first - 1, first - 2, first - 3, first + 1].filter((sequence) => sequence >= 0);
  return [...own, ...own, ...near, Number.MAX_SAFE_INTEGER];
}

/** A block number or a time: at a block, between two, before the first, after the last. */
function bound(blocks: readonly BlockRecords[]): fc.Arbitrary<Bound> {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (!first || !last) return fc.constantFrom<Bound>({ blockNum: 1 }, { timeMs: 0 });
  const blockNum = fc.integer({ min: Math.max(1, first.position.num - 2), max: last.position.num + 2 });
  const around = fc.constantFrom(-500, -1, 0, 0, 0, 1, 250, 499, 500, 5_000);
  const time = fc.tuple(fc.constantFrom(...blocks), around).map(([block, shift]) => timeMsOf(block) + shift);
  return fc.oneof(
    blockNum.map((num) => ({ blockNum: num })),
    time.map((timeMs) => ({ timeMs })),
    fc.constantFrom<Bound>({ timeMs: 0 }, { timeMs: Date.UTC(2100, 0, 1) }, { blockNum: 0xffffffff }),
  );
}
