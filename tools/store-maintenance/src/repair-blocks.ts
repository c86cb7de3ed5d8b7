import type { Config } from '@antelope-history/app-runtime';
import type { BlockRecords } from '@antelope-history/records';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import { readBlockHeader } from '@antelope-history/ship';
import { type ChainStatus, type HistoryReader, isRemovedBlock, type StoreRepairer } from '@antelope-history/store';
import { type BlockRange, BlockRanges } from './block-ranges';
import { fetchBlocks } from './fetch-blocks';

/** A batch that is replaced at once. */
const MAX_BATCH_BLOCKS = 64;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

const STORE_FAILURES: ReadonlySet<ErrorCode> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL']);

export interface RepairParts {
  reader: HistoryReader;
  repairer: StoreRepairer;
  ship: Config['ship'];
  /** Aborts after the batch that is being replaced; one that is still fetched is dropped. */
  signal: AbortSignal;
  /** Called with what an operator should know: a node that does not have a range, a block that is refused. */
  onTrouble(what: string): void;
  onReplaced(blocks: number): void;
}

/**
 * Fetches blocks from the first node that has them and replaces what is stored of them. Returns the blocks that no node has.
 * The last ranges come first: whether a permission of a block is the newest shows by later blocks, which are right by then.
 */
export async function repairBlocks(blocks: BlockRanges, parts: RepairParts): Promise<BlockRanges> {
  const unavailable = new BlockRanges();
  for (const range of [...blocks.ranges].reverse()) {
    if (parts.signal.aborted) break;
    const retained = retainedOf(range, await parts.reader.getStatus());
    if (!retained || (await repairRange(retained, parts))) continue;
    for (const num of new BlockRanges([retained])) unavailable.add(num);
  }
  return unavailable;
}

/** The blocks of a range that the store has not removed; undefined when there are none. */
function retainedOf([first, last]: BlockRange, status: ChainStatus): BlockRange | undefined {
  if (isRemovedBlock(last, status)) return undefined;
  const { firstBlockNum = first } = status;
  return [isRemovedBlock(first, status) ? firstBlockNum : first, last];
}

/** Returns false when no node has the whole range; true also when it was interrupted. */
async function repairRange(range: BlockRange, parts: RepairParts): Promise<boolean> {
  const { chainId } = await parts.reader.getStatus();
  const expectedLast = await parentOfNext(range, parts.reader);
  for (const url of parts.ship.urls) {
    try {
      await replaceFrom(url, range, { ...parts, chainId, expectedLast });
      return true;
    } catch (error) {
      // The store being away or full ends the program; a node's failure does not.
      if (!(error instanceof HistoryError) || STORE_FAILURES.has(error.code)) throw error;
      if (parts.signal.aborted) return true;
      const [first, last] = range;
      parts.onTrouble(`blocks ${first} to ${last}: ${new URL(url).host}: ${error.code}: ${error.message}`);
    }
  }
  return false;
}

interface Replacement extends RepairParts {
  chainId: string | undefined;
  /** The id of the range's last block according to the stored block after it; undefined when that is not stored. */
  expectedLast: string | undefined;
}

async function replaceFrom(url: string, range: BlockRange, parts: Replacement): Promise<void> {
  const { ship, chainId, expectedLast, signal } = parts;
  let batch: BlockRecords[] = [];
  let bytes = 0;
  for await (const records of fetchBlocks({ ship, url, chainId, signal }, range)) {
    const { num, id } = records.position;
    if (num === range[1] && expectedLast !== undefined && id !== expectedLast) {
      throw new HistoryError('BLOCK_ALTERED', `block ${num + 1} follows ${expectedLast}, the node has ${id}`);
    }
    batch.push(records);
    bytes += bytesOf(records);
    if (batch.length < MAX_BATCH_BLOCKS && bytes < MAX_BATCH_BYTES && num < range[1]) continue;
    await parts.repairer.repairBlocks(batch);
    parts.onReplaced(batch.length);
    batch = [];
    bytes = 0;
    if (signal.aborted) return;
  }
}

function bytesOf({ block, transactions }: BlockRecords): number {
  return transactions.reduce(
    (sum, { actions }) => actions.reduce((bytes, each) => bytes + each.bytes.length, sum),
    block?.length ?? 0,
  );
}

async function parentOfNext([, last]: BlockRange, reader: HistoryReader): Promise<string | undefined> {
  try {
    const { block } = await reader.getBlock({ num: last + 1 });
    return block && readBlockHeader(block.block).previous;
  } catch {
    // It is wrong itself, and was found to be so or is above the range that was verified.
    return undefined;
  }
}
