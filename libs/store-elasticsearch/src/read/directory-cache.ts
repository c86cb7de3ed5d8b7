import { LRUCache } from 'lru-cache';
import { directoryBlocks } from '../indices/directory';
import type { ProgressDocument } from '../indices/documents';
import type { DirectoryRanges } from './directory-query';

/** Limit of all entries together, by the estimates below. */
const MAX_BYTES = 16 * 1024 * 1024;
const ENTRY_BYTES = 300;
const RANGE_BYTES = 40;

interface Entry {
  /** The directory and the blocks that it covered when it was read. */
  of: string;
  found: DirectoryRanges;
}

/**
 * Caches the ranges with rows of the lists that were read last. The directory does not change what it says of blocks that it covers:
 * an entry is valid until the directory covers other blocks, or a repair begins another directory.
 */
export class DirectoryCache {
  private readonly known = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ found }, key) => ENTRY_BYTES + 2 * key.length + RANGE_BYTES * found.ranges.length,
  });

  find(list: string, progress: ProgressDocument): DirectoryRanges | undefined {
    const entry = this.known.get(list);
    return entry && entry.of === stateOf(progress) ? entry.found : undefined;
  }

  /** Keeps what a query that reads this progress found. `list`: a name that no other list has. */
  keep(list: string, found: DirectoryRanges, progress: ProgressDocument): void {
    this.known.set(list, { of: stateOf(progress), found });
  }
}

function stateOf(progress: ProgressDocument): string {
  const { first, last } = directoryBlocks(progress) ?? { first: 0, last: -1 };
  return `${progress.rewrites ?? 0} ${first} ${last}`;
}
