import type { BlockPosition } from '@antelope-history/records';
import type { KeyValue } from './key-value';

/** The store's progress, which the indexer publishes for the other stages and rebuilds from the store when it is lost. */
export interface SharedProgress {
  chainId: string | undefined;
  committed: BlockPosition | undefined;
  /** The reversible committed blocks, ascending by number: a reader sends them in its blocks request. */
  positions: BlockPosition[];
  /** The sequence of the newest committed message; a reader's next epoch begins above it. 0 for an empty store. */
  ordinal: number;
}

const KEY = 'progress';

/** Undefined when no indexer has published the progress yet. Rejects as `KeyValue.get`. */
export async function readProgress(keyValue: KeyValue): Promise<SharedProgress | undefined> {
  const stored = await keyValue.get(KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as SharedProgress);
}

export function writeProgress(keyValue: KeyValue, progress: SharedProgress): Promise<void> {
  return keyValue.set(KEY, JSON.stringify(progress));
}
