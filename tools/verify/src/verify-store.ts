import type { BlockTracesLookup, HistoryReader } from '@antelope-history/store';
import { ChainVerifier, type StoredFault, type VerifiedCounts } from './chain-verifier';

/** Blocks that are read ahead: a store on a server responds to several requests at once. */
const READ_AHEAD = 8;

export interface VerifyOptions {
  /** First and last block number. */
  from: number;
  to: number;
  /** Aborts after the block in progress. */
  signal: AbortSignal;
  onFault(fault: StoredFault): void;
  /** Called after each block. */
  onBlock(blockNum: number, counts: Readonly<VerifiedCounts>): void;
}

/** Verifies a range of blocks; resolves with the counts and the number of the first block that was not verified. */
export async function verifyStore(
  reader: HistoryReader,
  { from, to, signal, onFault, onBlock }: VerifyOptions,
): Promise<{ counts: VerifiedCounts; next: number }> {
  const verifier = new ChainVerifier();
  let next = from;
  for await (const found of readBlocks(reader, from, to)) {
    for (const fault of verifier.verify(next, found)) onFault(fault);
    onBlock(next, verifier.counts);
    next++;
    if (signal.aborted) break;
  }
  return { counts: verifier.counts, next };
}

/** Reads blocks in ascending order, several at once. */
async function* readBlocks(reader: HistoryReader, from: number, to: number): AsyncGenerator<BlockTracesLookup> {
  const reading: Promise<BlockTracesLookup>[] = [];
  const read = (num: number): Promise<BlockTracesLookup> => {
    const lookup = reader.getBlockTraces({ num });
    // It is awaited later; until then a rejection would count as unhandled.
    lookup.catch(() => undefined);
    return lookup;
  };
  for (let num = from; num <= to || reading.length > 0; num++) {
    if (num <= to) reading.push(read(num));
    if (reading.length >= READ_AHEAD || num > to) yield await (reading.shift() as Promise<BlockTracesLookup>);
  }
}
