import { setTimeout as sleep } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import type { BlockTracesLookup, HistoryReader } from '@antelope-history/store';

/** Blocks that are read ahead: a store on a server responds to several requests at once. */
const READ_AHEAD = 8;
/** A store that lost a part of a block says the same on every attempt; one that is busy does not. */
const ATTEMPTS = 3;
const RETRY_WAIT_MS = 500;

/** A stored block, or why the store cannot read it although it responds. */
export type BlockRead = { found: BlockTracesLookup } | { unreadable: string };

/** Reads blocks in ascending order, several at once. Rejects when the store does not respond. */
export async function* readBlocks(reader: HistoryReader, from: number, to: number): AsyncGenerator<BlockRead> {
  const reading: Promise<BlockRead>[] = [];
  for (let num = from; num <= to || reading.length > 0; num++) {
    if (num <= to) reading.push(startReading(reader, num));
    if (reading.length >= READ_AHEAD || num > to) yield await (reading.shift() as Promise<BlockRead>);
  }
}

function startReading(reader: HistoryReader, num: number): Promise<BlockRead> {
  const read = readBlock(reader, num);
  // It is awaited later; until then a rejection would count as unhandled.
  read.catch(() => undefined);
  return read;
}

async function readBlock(reader: HistoryReader, num: number): Promise<BlockRead> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { found: await reader.getBlockTraces({ num }) };
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'STOPPED') throw error;
      const isFinal = !(error instanceof HistoryError && error.retryable);
      if (isFinal || attempt === ATTEMPTS) {
        // Rejects if it is the store that is away, and not a part of this block.
        await reader.getStatus();
        return { unreadable: error instanceof Error ? error.message : String(error) };
      }
      await sleep(RETRY_WAIT_MS);
    }
  }
}
