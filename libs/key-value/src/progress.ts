import type { BlockPosition } from '@antelope-history/records';
import type { KeyValue } from './key-value';

/** Where the store stands, as the indexer tells the other stages. Rebuilt from the store when it is lost. */
export interface SharedProgress {
  chainId: string | undefined;
  committed: BlockPosition | undefined;
  /** The committed blocks that a fork may still undo, ascending: what a reader tells the node that it has. */
  positions: BlockPosition[];
  /** The ordinal of the newest committed message; a reader's next session begins above it. 0 while there is none. */
  ordinal: number;
}

const KEY = 'progress';

export async function readProgress(keyValue: KeyValue): Promise<SharedProgress | undefined> {
  const stored = await keyValue.get(KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as SharedProgress);
}

export function writeProgress(keyValue: KeyValue, progress: SharedProgress): Promise<void> {
  return keyValue.set(KEY, JSON.stringify(progress));
}
