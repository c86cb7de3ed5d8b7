import type { LocatedTransaction, PageReader } from './page-reader';

/** The trace with a global sequence: its transaction and its ordinal there; undefined if there is none. */
export function findParentTrace(
  pages: PageReader,
  sequence: number,
): { transaction: LocatedTransaction; ordinal: number } | undefined {
  const trace = pages.actionUpTo(sequence)?.traces.find(({ receipt }) => receipt.globalSequence === sequence);
  const transaction = trace && pages.transactionAt(sequence);
  return transaction && { transaction, ordinal: trace.ordinal };
}
