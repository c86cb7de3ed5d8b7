import { decodePagedAction } from '../format/trace-page';
import type { LocatedTransaction, PageReader } from './page-reader';

/** The trace with a global sequence: its transaction and its ordinal there; undefined if there is none. */
export function findParentTrace(
  pages: PageReader,
  sequence: number,
): { transaction: LocatedTransaction; ordinal: number } | undefined {
  const transaction = pages.transactionAt(sequence);
  for (const part of transaction?.parts ?? []) {
    for (const paged of part.actions) {
      const trace = decodePagedAction(part, paged).traces.find(({ receipt }) => receipt.globalSequence === sequence);
      if (transaction && trace) return { transaction, ordinal: trace.ordinal };
    }
  }
  return undefined;
}
