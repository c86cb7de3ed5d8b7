import { statfsSync, statSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import { dataFileIn } from '../format/environment';
import { type Tables, usedBytesOf } from '../format/tables';

const MIB = 1024 * 1024;
/** Left free for the batch in progress, and for the other programs on the disk, whose writes would fail as well. */
export const MIN_FREE_BYTES = 512 * MIB;

/** Share of a file of the configured size that may have data. */
const MAX_USED = 0.9;

export interface RoomOptions {
  path: string;
  /** 0 = limited by the disk only. */
  mapSizeBytes: number;
  /** Number of newest blocks to keep; 0, the default, = all. */
  retainBlocks?: number | undefined;
}

/** The room that the writer of these tables has. */
export function roomOf(
  { path, mapSizeBytes, retainBlocks = 0 }: RoomOptions,
  tables: Tables,
  readFreeBytes?: (directory: string) => number,
): DiskRoom {
  return new DiskRoom(path, mapSizeBytes, retainBlocks > 0 ? () => usedBytesOf(tables) : undefined, readFreeBytes);
}

/** The room for further data on the disk and below the configured size. */
export class DiskRoom {
  /**
   * `maxBytes`: 0 = limited by the disk only. `usedBytes`: those of the file that have data, for a store from which blocks are
   * removed.
   */
  constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
    private readonly usedBytes?: () => number,
    private readonly readFreeBytes = freeBytesOf,
  ) {}

  freeBytes(): number {
    return this.readFreeBytes(this.directory);
  }

  /** Throws `STORE_FULL`: what is stored stays, and writing continues as soon as there is room. */
  assertRoom(): void {
    // A directory without data has no file yet.
    const size = statSync(dataFileIn(this.directory), { throwIfNoEntry: false })?.size ?? 0;
    // The file does not shrink when blocks are removed; writes use its free pages first, if there are enough of them.
    if (this.maxBytes > 0 && size >= this.maxBytes && (this.usedBytes?.() ?? size) > this.maxBytes * MAX_USED) {
      throw full(this.directory, `${inMib(size)} of store.lmdb.map_size_bytes ${inMib(this.maxBytes)}: raise it`);
    }
    const free = this.freeBytes();
    if (free < MIN_FREE_BYTES) {
      throw full(this.directory, `${inMib(free)} free on its disk, at least ${inMib(MIN_FREE_BYTES)} are needed`);
    }
  }
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

function full(directory: string, why: string): HistoryError {
  return new HistoryError('STORE_FULL', `no block is written to ${directory}: ${why}`);
}

export function inMib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
