import type { DataFields } from '@antelope-history/data-fields';
import { type BlockRecords, isStateComplete, listedNumbers } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import {
  type ChainStatus,
  isRemovedBlock,
  type Progress,
  type StoreRepairer,
  type StoreWriter,
} from '@antelope-history/store';
import { decodeBlockIndexEntry, positionOf } from '../format/block-index';
import { readBlockIndex, readFact, readStatus } from '../format/chain-facts';
import { blockKey, MAX_BLOCK_NUM, MAX_SEQUENCE } from '../format/keys';
import type { Tables } from '../format/tables';
import type { WriterLock } from '../lock/writer-lock';
import { ActionRemoval } from './action-removal';
import type { BatchCommitter } from './batch-committer';
import { assertFollows, isOvertaken } from './block-order';
import { BlockRepair } from './block-repair';
import { DataKinds } from './data-kinds';
import type { DiskRoom } from './disk-room';
import { KindAllocator } from './kind-allocator';
import { PermissionWriter } from './permission-writer';
import { PostingWriter, truncateList } from './posting-writer';
import { putAbi } from './put-abi';
import { putBlock } from './put-block';
import type { RepairSpool } from './repair-spool';
import type { Retention } from './retention';
import { decodeUndo, encodeUndo } from './undo-record';
import { WriteBatch } from './write-batch';
import { removeFact, writeFact } from './write-facts';

export interface LmdbWriterParts {
  tables: Tables;
  lock: WriterLock;
  committer: BatchCommitter;
  spool: RepairSpool;
  room: DiskRoom;
  retention: Retention;
  dataFields: DataFields;
}

/**
 * The write side of the embedded store. Each run of consecutive blocks is one LMDB transaction that includes the progress.
 * A fork is undone in a transaction of its own, before the new branch is written.
 */
export class LmdbWriter implements StoreWriter, StoreRepairer {
  private readonly tables: Tables;
  private readonly lock: WriterLock;
  private readonly committer: BatchCommitter;
  private readonly spool: RepairSpool;
  private readonly room: DiskRoom;
  private readonly retention: Retention;
  private readonly kinds: KindAllocator;
  private readonly postings: PostingWriter;
  private readonly permissions: PermissionWriter;
  private readonly dataKinds: DataKinds;
  private hasFirstBlock: boolean;
  private lastWrite: Promise<void> = Promise.resolve();
  private closing: Promise<void> | undefined;

  /** Owns `tables` and `lock`: `close` releases both. */
  constructor({ tables, lock, committer, spool, room, retention, dataFields }: LmdbWriterParts) {
    this.tables = tables;
    this.lock = lock;
    this.committer = committer;
    this.spool = spool;
    this.room = room;
    this.retention = retention;
    this.kinds = new KindAllocator(tables);
    this.postings = new PostingWriter(tables, this.kinds, readFact(tables, 'countsTraces') === true);
    this.permissions = new PermissionWriter(tables);
    this.dataKinds = new DataKinds(tables, this.kinds, dataFields);
    this.hasFirstBlock = readFact(tables, 'firstBlockNum') !== undefined;
  }

  async getProgress(): Promise<Progress> {
    this.assertOpen();
    const status = readStatus(this.tables);
    const { committed, firstBlockNum = committed?.num ?? 0 } = status;
    const positions = listedNumbers(firstBlockNum, committed?.num ?? -1).flatMap((num) => {
      const entry = readBlockIndex(this.tables, num);
      return entry ? [positionOf(num, entry)] : [];
    });
    return { status, positions, sequence: this.writtenSequence() };
  }

  async readFreeBytes(): Promise<number> {
    this.assertOpen();
    return this.room.freeBytes();
  }

  setChainId(chainId: string): Promise<void> {
    return this.inTurn(() => this.tieToChain(chainId));
  }

  writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus> {
    return this.inTurn(() => this.write(blocks));
  }

  /**
   * Applies the repairs that other processes ask for, and removes old blocks, which would stay until the next write otherwise. No
   * block waits for it: `writeBlocks` commits what it writes.
   */
  maintain(): Promise<ChainStatus> {
    return this.inTurn(async () => {
      await this.spool.apply((blocks, onCommit) => this.repair(blocks, onCommit));
      await this.removeOldBlocks([]);
      return readStatus(this.tables);
    });
  }

  repairBlocks(blocks: BlockRecords[]): Promise<void> {
    return this.inTurn(() => this.repair(blocks));
  }

  close(): Promise<void> {
    this.closing ??= this.release();
    return this.closing;
  }

  private async release(): Promise<void> {
    await this.lastWrite;
    await this.tables.root.close();
    await this.lock.release();
  }

  private writtenSequence(): number {
    return readFact(this.tables, 'sequence') ?? 0;
  }

  private assertOpen(): void {
    if (this.closing) throw new HistoryError('STOPPED', 'the store is closed');
  }

  private async inTurn<T>(write: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const written = this.lastWrite.then(write);
    this.lastWrite = written.then(
      () => undefined,
      () => undefined,
    );
    return written;
  }

  private async tieToChain(chainId: string): Promise<void> {
    const stored = readFact(this.tables, 'chainId');
    if (stored === chainId) return;
    if (stored !== undefined) {
      throw new HistoryError(
        'CHAIN_ID_MISMATCH',
        `the data directory holds chain ${stored}, the node is on chain ${chainId}: use another data directory`,
      );
    }
    await this.commit((batch) => writeFact(this.tables, 'chainId', chainId, batch));
  }

  private async write(blocks: BlockRecords[]): Promise<ChainStatus> {
    this.committer.assertInPlace();
    // Before the room is needed: what is removed makes room.
    await this.removeOldBlocks(blocks);
    this.room.assertRoom();
    let run: BlockRecords[] = [];
    let tip = readFact(this.tables, 'committed');
    let sequence = this.writtenSequence();
    for (const block of blocks) {
      if (isOvertaken(block, sequence)) continue;
      if (tip && block.position.num <= tip.num) {
        if (run.length > 0) await this.writeRun(run);
        run = [];
        if (this.isStored(block.position)) continue;
        this.assertUndoable(block);
        await this.undoTo(block.position.num);
        tip = readFact(this.tables, 'committed');
      }
      assertFollows(block, tip);
      run.push(block);
      tip = block.position;
      sequence = block.streamPosition.sequence;
    }
    if (run.length > 0) await this.writeRun(run);
    return readStatus(this.tables);
  }

  private async repair(blocks: BlockRecords[], onCommit = (): void => undefined): Promise<void> {
    try {
      for (const batch of new BlockRepair(this.tables).batches(blocks)) {
        await this.committer.commit(batch);
        onCommit();
      }
    } finally {
      // It may have replaced the ABIs by which data are decoded, and changed lists.
      this.forget();
    }
  }

  /** Whether this very block is stored, or was and is removed: it was read, or delivered, again. */
  private isStored({ num, id }: BlockPosition): boolean {
    return readBlockIndex(this.tables, num)?.id === id || isRemovedBlock(num, readStatus(this.tables));
  }

  private async writeRun(blocks: BlockRecords[]): Promise<void> {
    const last = blocks.at(-1) as BlockRecords;
    const lastIrreversible = this.lastIrreversibleAfter(blocks);
    await this.commit((batch) => {
      const first = blocks[0] as BlockRecords;
      this.noteState(blocks, batch);
      this.dataKinds.begin(first.position.num, batch);
      let nextSequence = this.nextSequence(first);
      for (const block of blocks) nextSequence = this.writeBlock(block, nextSequence, batch);
      this.postings.flush(batch);
      this.kinds.flush(batch);
      this.permissions.flush(batch);
      this.pruneUndo(Math.min(lastIrreversible.num, last.position.num), batch);
      writeFact(this.tables, 'committed', last.position, batch);
      writeFact(this.tables, 'head', last.head, batch);
      writeFact(this.tables, 'lastIrreversible', lastIrreversible, batch);
      // The highest of the run: `write` has left out those below one before them.
      const { sequence } = last.streamPosition;
      if (sequence > 0) writeFact(this.tables, 'sequence', sequence, batch);
    });
  }

  /** Notes whether the state is complete. Earlier versions did not; their stores are taken for complete. */
  private noteState(blocks: readonly BlockRecords[], batch: WriteBatch): void {
    const isFirst = !readFact(this.tables, 'committed');
    if (!isFirst && !readFact(this.tables, 'lacksState')) return;
    let isComplete = isFirst ? undefined : false;
    for (const block of blocks) isComplete = isStateComplete(block, isComplete);
    writeFact(this.tables, 'lacksState', !isComplete, batch);
  }

  /**
   * Irreversibility is never taken back: a node that lags behind another reports an older block, and the undo records below
   * the newer one are deleted.
   */
  private lastIrreversibleAfter(blocks: BlockRecords[]): BlockPosition {
    const reported = blocks.map(({ lastIrreversible }) => lastIrreversible);
    const known = readFact(this.tables, 'lastIrreversible');
    return reported.reduce(
      (highest, each) => (each.num >= highest.num ? each : highest),
      known ?? (reported[0] as BlockPosition),
    );
  }

  private nextSequence(first: BlockRecords): number {
    const previous = readBlockIndex(this.tables, first.position.num - 1);
    return previous?.endSequence ?? first.transactions[0]?.firstSequence ?? 0;
  }

  /** Puts one block into the batch; returns the sequence after its last one. */
  private writeBlock(block: BlockRecords, firstSequence: number, batch: WriteBatch): number {
    const data = this.dataKinds.ofBlock(block, batch);
    for (const { actions } of block.transactions) {
      for (const action of actions) this.postings.add(action, data.kindsOf(action), batch);
    }
    data.end();
    const endSequence = putBlock(this.tables, block, firstSequence, batch);
    if (block.block) {
      if (!this.hasFirstBlock) writeFact(this.tables, 'firstBlockNum', block.position.num, batch);
      this.hasFirstBlock = true;
    }
    this.writeState(block, batch);
    return endSequence;
  }

  private writeState(block: BlockRecords, batch: WriteBatch): void {
    const permissions = block.permissionChanges.map((change) => this.permissions.apply(change)).reverse();
    const abiKeys = block.abiChanges.map((change) => putAbi(this.tables, block.position.num, change, batch));
    const reversible = block.position.num > block.lastIrreversible.num;
    if (reversible && permissions.length + abiKeys.length > 0) {
      batch.put(this.tables.undo, blockKey(block.position.num), encodeUndo({ permissions, abiKeys }));
    }
  }

  /** Deletes undo records of irreversible blocks: no fork undoes those. */
  private pruneUndo(irreversibleNum: number, batch: WriteBatch): void {
    const end = blockKey(irreversibleNum + 1);
    for (const key of this.tables.undo.getKeys({ end })) batch.remove(this.tables.undo, key);
  }

  /** A fork may replace reversible blocks only, and its first block's parent has to be stored, unless it is below the first. */
  private assertUndoable({ position, previous }: BlockRecords): void {
    const { num } = position;
    const irreversible = readFact(this.tables, 'lastIrreversible');
    if (irreversible && num <= irreversible.num) {
      throw new HistoryError(
        'FORK_TOO_DEEP',
        `block ${num} has another id than the one stored, but block ${irreversible.num} is irreversible`,
      );
    }
    const parent = readBlockIndex(this.tables, num - 1);
    if (parent && parent.id !== previous?.id) {
      throw new HistoryError(
        'BLOCK_GAP',
        `block ${num} follows ${previous?.id ?? 'nothing'}, the stored block ${num - 1} is ${parent.id}`,
      );
    }
  }

  /** Undoes every block from a number on. */
  private async undoTo(from: number): Promise<void> {
    await this.commit((batch) => this.removeFrom(from, batch));
    this.forget();
  }

  private removeFrom(from: number, batch: WriteBatch): void {
    // Fields that are no longer indexed are forgotten: their lists keep what is undone here.
    this.dataKinds.begin(from, batch);
    const status = readStatus(this.tables);
    const range = { start: blockKey(MAX_BLOCK_NUM), end: blockKey(from - 1), reverse: true };
    let firstSequence = MAX_SEQUENCE;
    for (const { key, value } of this.tables.blockIndex.getRange(range)) {
      firstSequence = decodeBlockIndexEntry(value).firstSequence;
      const undo = this.tables.undo.get(key);
      if (undo) this.applyUndo(undo, batch);
      batch.remove(this.tables.undo, key);
      batch.remove(this.tables.blockBodies, key);
      batch.remove(this.tables.blockIndex, key);
    }
    this.removeActions(firstSequence, batch);
    this.kinds.flush(batch);
    this.permissions.flush(batch);
    const previous = readBlockIndex(this.tables, from - 1);
    if (previous) writeFact(this.tables, 'committed', positionOf(from - 1, previous), batch);
    else {
      removeFact(this.tables, 'committed', batch);
      // All blocks are undone, and no list has an action: the data fields begin with the next block, as the history does.
      removeFact(this.tables, 'dataFields', batch);
      removeFact(this.tables, 'firstDataKinds', batch);
    }
    if (from <= (status.firstBlockNum ?? 0)) removeFact(this.tables, 'firstBlockNum', batch);
    writeFact(this.tables, 'revision', status.revision + 1, batch);
  }

  private applyUndo(bytes: Buffer, batch: WriteBatch): void {
    const undo = decodeUndo(bytes);
    for (const change of undo.permissions) this.permissions.apply(change);
    for (const key of undo.abiKeys) batch.remove(this.tables.abis, key);
  }

  /** Removes every action from `sequence` on: pages, transaction keys and postings. */
  private removeActions(sequence: number, batch: WriteBatch): void {
    const removal = this.removalIn(batch);
    removal.removePages({ start: sequence });
    for (const prefix of removal.lists) truncateList(this.tables, prefix, sequence, batch);
  }

  /** Removes the oldest blocks that need not be kept: a part of them, but twice what is to be written, so that it keeps pace. */
  private async removeOldBlocks(toWrite: readonly BlockRecords[]): Promise<void> {
    let left = 2 * sequencesIn(toWrite);
    do {
      const old = this.retention.oldBlocks();
      if (!old) return;
      await this.commit((batch) => {
        this.retention.remove(old, this.removalIn(batch), batch);
        this.kinds.flush(batch);
      });
      left -= old.endSequence - old.firstSequence;
    } while (left > 0);
  }

  private removalIn(batch: WriteBatch): ActionRemoval {
    return new ActionRemoval(this.tables, this.kinds, this.dataKinds, batch);
  }

  /** Commits the batch that `gather` fills as one LMDB transaction; resolves when it is on disk. */
  private async commit(gather: (batch: WriteBatch) => void): Promise<void> {
    const batch = new WriteBatch();
    try {
      gather(batch);
      await this.committer.commit(batch);
    } catch (error) {
      this.forget();
      throw error;
    }
    this.kinds.committed();
  }

  /** Drops cached state, which may differ from the store after an undo or a failed batch. */
  private forget(): void {
    this.kinds.forget();
    this.postings.forget();
    this.permissions.forget();
    this.dataKinds.forget();
    this.hasFirstBlock = readFact(this.tables, 'firstBlockNum') !== undefined;
  }
}

function sequencesIn(blocks: readonly BlockRecords[]): number {
  return blocks.flatMap(({ transactions }) => transactions).reduce((sum, { sequenceCount }) => sum + sequenceCount, 0);
}
