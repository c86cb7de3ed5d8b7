import {
  isRemovedBlock,
  type ListCheck,
  type ListFault,
  type ListSection,
  type StoredBlockTransaction,
  type StoreReader,
} from '@antelope-history/store';
import type { StoredFault } from './chain-verifier';

/** About half an hour of a chain. 400 million blocks are 100,000 sections, which take 30 MB. */
const BLOCKS_PER_SECTION = 4_096;
/** Sections with faults that are compared again block by block, to name the blocks. */
const MAX_NARROWED = 4;

/** Verifies that the lists by which the store finds actions and transactions have those of the verified blocks, and no others. */
export class ListVerifier {
  private readonly check: ListCheck | undefined;

  constructor(
    private readonly reader: StoreReader,
    sections: readonly ListSection[] = [],
  ) {
    this.check = reader.createListCheck({ blocksPerSection: BLOCKS_PER_SECTION, sections });
  }

  /** What the verified blocks have, from which an interrupted run continues. */
  get sections(): readonly ListSection[] {
    return this.check?.sections ?? [];
  }

  /** Adds a block that was verified without a fault of its contents. Blocks ascend. */
  add(blockNum: number, transactions: readonly StoredBlockTransaction[]): void {
    this.check?.add(blockNum, transactions);
  }

  async verify(signal: AbortSignal): Promise<StoredFault[]> {
    const compared = (await this.check?.compare(signal)) ?? [];
    // The lists lose the actions of blocks that the store removes, because it keeps only the newest ones.
    const status = await this.reader.getStatus();
    const faults = compared.filter(({ firstBlock }) => !isRemovedBlock(firstBlock, status));
    if (faults.length === 0) return [];
    const sections = new Map(faults.map(({ firstBlock, lastBlock }) => [firstBlock, lastBlock]));
    const narrowed = [...sections].slice(0, MAX_NARROWED);
    const found = await this.compareBlocks(narrowed, signal);
    const isNarrowed = ({ firstBlock, lastBlock }: ListFault): boolean =>
      narrowed.some(([first]) => first === firstBlock) &&
      found.some((each) => firstBlock <= each.firstBlock && each.lastBlock <= lastBlock);
    return [...found, ...faults.filter((fault) => !isNarrowed(fault))].map(toStoredFault);
  }

  private async compareBlocks(ranges: [number, number][], signal: AbortSignal): Promise<ListFault[]> {
    const check = this.reader.createListCheck({ blocksPerSection: 1 });
    for (const [first, last] of ranges) {
      for (let num = first; num <= last && !signal.aborted; num++) {
        check?.add(num, (await this.reader.getBlockTraces({ num })).transactions);
      }
    }
    return (await check?.compare(signal)) ?? [];
  }
}

function toStoredFault({ firstBlock, lastBlock, detail }: ListFault): StoredFault {
  const range = firstBlock === lastBlock ? '' : `blocks ${firstBlock} to ${lastBlock}: `;
  return { blockNum: firstBlock, code: 'lists', detail: range + detail };
}
