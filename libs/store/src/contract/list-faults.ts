import type { StoreReader } from '../history-store';
import type { ListFault } from '../list-check';

/** The faults of a store's lists, compared with all of its blocks; none for a store without a check. */
export async function listFaults(reader: StoreReader, blocksPerSection: number): Promise<ListFault[]> {
  const check = reader.createListCheck({ blocksPerSection });
  const { firstBlockNum, committed } = await reader.getStatus();
  if (!check || firstBlockNum === undefined || !committed) return [];
  for (let num = firstBlockNum; num <= committed.num; num++) {
    const { block, transactions } = await reader.getBlockTraces({ num });
    if (block) check.add(num, transactions);
  }
  return check.compare(new AbortController().signal);
}
