import type { BlockPosition } from '@antelope-history/schemas';
import type { KeyValue } from './key-value';

/** The store's progress, which the indexer publishes for the other stages and rebuilds from the store when it is lost. */
export interface SharedProgress {
  chainId: string | undefined;
  committed: BlockPosition | undefined;
  /** Committed blocks, ascending by number: those that `isListedPosition` lists. A reader sends them in its blocks request. */
  positions: BlockPosition[];
  lastIrreversible?: BlockPosition | undefined;
  /** The sequence of the newest committed message; a reader's next epoch begins above it. 0 for an empty store. */
  sequence: number;
}

/** The stored form, whose field names earlier versions read, too: `ordinal` is the sequence. */
type StoredProgress = Omit<SharedProgress, 'sequence'> & { ordinal: number };

const KEY = 'progress';

/** Undefined when no indexer has published the progress yet. Rejects as `KeyValue.get`. */
export async function readProgress(keyValue: KeyValue): Promise<SharedProgress | undefined> {
  const stored = await keyValue.get(KEY);
  if (stored === undefined) return undefined;
  const { ordinal, ...progress } = JSON.parse(stored) as StoredProgress;
  return { ...progress, sequence: ordinal };
}

export function writeProgress(keyValue: KeyValue, { sequence, ...progress }: SharedProgress): Promise<void> {
  const stored: StoredProgress = { ...progress, ordinal: sequence };
  return keyValue.set(KEY, JSON.stringify(stored));
}

const READER_EPOCH_KEY = 'reader-epoch';

/** The newest epoch of stream positions that a reader has begun; 0 when it is not known. Rejects as `KeyValue.get`. */
export async function readReaderEpoch(keyValue: KeyValue): Promise<number> {
  const epoch = Number(await keyValue.get(READER_EPOCH_KEY));
  return Number.isSafeInteger(epoch) ? epoch : 0;
}

export function writeReaderEpoch(keyValue: KeyValue, epoch: number): Promise<void> {
  return keyValue.set(READER_EPOCH_KEY, String(epoch));
}
