import type { KeyValue } from './key-value';

/** A block's number and id. */
interface Position {
  num: number;
  id: string;
}

/** Where the store stands, as the indexer tells the other stages. Rebuilt from the store when it is lost. */
export interface SharedProgress {
  chainId: string | undefined;
  committed: Position | undefined;
  /** Some of the committed blocks that a fork may still undo, ascending: what a reader tells the node that it has. */
  positions: Position[];
}

const KEY = 'progress';

export async function readProgress(keyValue: KeyValue): Promise<SharedProgress | undefined> {
  const stored = await keyValue.get(KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as SharedProgress);
}

export function writeProgress(keyValue: KeyValue, progress: SharedProgress): Promise<void> {
  return keyValue.set(KEY, JSON.stringify(progress));
}

/**
 * Thins ascending positions out: the newest all, older ones ever farther apart, the oldest always. A node goes back to
 * the first position that it does not share; blocks that both have in between are merely sent again.
 */
export function samplePositions<P>(positions: readonly P[], newest = 8): P[] {
  const sample: P[] = [];
  let step = 1;
  for (let index = positions.length - 1; index > 0; index -= step) {
    sample.unshift(positions[index] as P);
    if (sample.length >= newest) step *= 2;
  }
  const oldest = positions[0];
  if (oldest !== undefined) sample.unshift(oldest);
  return sample;
}
