import { HistoryError } from '@antelope-history/schemas';
import type { BlockPosition, BlockRecords, ChainStatus } from '@antelope-history/records';
import type { HistoryWriter, Progress } from '@antelope-history/store';
import { ALL_KINDS, KindAllocator, WHOLE_CHAIN } from './action-kinds';
import { putAbi } from './abi-table';
import { encodeBlockBody } from './block-body';
import { encodeBlockIndexEntry, positionOf } from './block-index';
import { readBlockIndex, readFact, readStatus, removeFact, writeFact } from './chain-facts';
import { blockKey, listPrefix, sequenceKey, transactionKey } from './keys';
import { PermissionWriter } from './permission-table';
import { PostingWriter, truncateList } from './posting-writer';
import type { Tables } from './tables';
import { decodePagedAction, encodePages, TracePage } from './trace-page';
import { decodeUndo, encodeUndo } from './undo-record';

/** How many positions `getProgress` gives at most; a node needs only the newest to find where branches part. */
const MAX_POSITIONS = 2_000;
/** A transaction's key is all there is to say. */
const NOTHING = Buffer.from([0]);

/**
 * The write side of the embedded store. Each run of blocks that follow one another is one LMDB transaction, with the
 * progress inside it; undoing a fork is one of its own, before the new branch is written.
 */
export class LmdbWriter implements HistoryWriter {
  private readonly kinds: KindAllocator;
  private readonly postings: PostingWriter;
  private readonly permissions: PermissionWriter;
  private hasFirstBlock: boolean;

  constructor(private readonly tables: Tables) {
    this.kinds = new KindAllocator(tables);
    this.postings = new PostingWriter(tables, this.kinds);
    this.permissions = new PermissionWriter(tables);
    this.hasFirstBlock = readFact(tables, 'firstBlockNum') !== undefined;
  }

  getProgress(): Promise<Progress> {
    const status = readStatus(this.tables);
    const positions: BlockPosition[] = [];
    const { committed, lastIrreversible } = status;
    if (committed) {
      const oldest = Math.max(
        Math.min(committed.num, lastIrreversible?.num ?? committed.num),
        committed.num - MAX_POSITIONS,
      );
      for (let num = oldest; num <= committed.num; num++) {
        const entry = readBlockIndex(this.tables, num);
        if (entry) positions.push(positionOf(num, entry));
      }
    }
    return Promise.resolve({ status, positions });
  }

  async setChainId(chainId: string): Promise<void> {
    const stored = readFact(this.tables, 'chainId');
    if (stored === chainId) return;
    if (stored !== undefined) {
      throw new HistoryError(
        'CHAIN_ID_MISMATCH',
        `the data directory holds chain ${stored}, the node is on chain ${chainId}: use another data directory`,
      );
    }
    await this.commit(() => writeFact(this.tables, 'chainId', chainId));
  }

  async writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus> {
    let run: BlockRecords[] = [];
    let tip = readFact(this.tables, 'committed');
    for (const block of blocks) {
      if (tip && block.position.num <= tip.num) {
        if (run.length > 0) await this.writeRun(run);
        run = [];
        if (this.isStored(block.position)) continue;
        await this.undoTo(block);
        tip = readFact(this.tables, 'committed');
      }
      assertFollows(block, tip);
      run.push(block);
      tip = block.position;
    }
    if (run.length > 0) await this.writeRun(run);
    return readStatus(this.tables);
  }

  /** The same block on the same branch: a message that was delivered again. */
  private isStored(position: BlockPosition): boolean {
    return readBlockIndex(this.tables, position.num)?.id === position.id;
  }

  private async writeRun(blocks: BlockRecords[]): Promise<void> {
    const last = blocks.at(-1) as BlockRecords;
    try {
      await this.commit(() => {
        let nextSequence = this.nextSequence(blocks[0] as BlockRecords);
        for (const block of blocks) nextSequence = this.writeBlock(block, nextSequence);
        this.postings.flush();
        this.permissions.flush();
        this.pruneUndo(last);
        writeFact(this.tables, 'committed', last.position);
        writeFact(this.tables, 'head', last.head);
        writeFact(this.tables, 'lastIrreversible', last.lastIrreversible);
      });
    } catch (error) {
      // What is in memory is ahead of the store now.
      this.postings.forget();
      this.hasFirstBlock = readFact(this.tables, 'firstBlockNum') !== undefined;
      throw error;
    }
  }

  private nextSequence(first: BlockRecords): number {
    const previous = readBlockIndex(this.tables, first.position.num - 1);
    return previous?.endSequence ?? first.transactions[0]?.firstSequence ?? 0;
  }

  /** Puts one block into the batch under way; gives the sequence after its last. */
  private writeBlock(block: BlockRecords, firstSequence: number): number {
    const key = blockKey(block.position.num);
    let endSequence = firstSequence;
    for (const page of encodePages(block)) void this.tables.pages.put(sequenceKey(page.firstSequence), page.bytes);
    for (const transaction of block.transactions) {
      void this.tables.transactions.put(transactionKey(transaction.id, transaction.firstSequence), NOTHING);
      for (const action of transaction.actions) this.postings.add(action);
      endSequence = Math.max(endSequence, transaction.firstSequence + transaction.sequenceCount);
    }
    if (block.block) {
      void this.tables.blockBodies.put(key, encodeBlockBody(block, firstSequence));
      if (!this.hasFirstBlock) writeFact(this.tables, 'firstBlockNum', block.position.num);
      this.hasFirstBlock = true;
    }
    const entry = { id: block.position.id, timestamp: block.timestamp, firstSequence, endSequence };
    void this.tables.blockIndex.put(key, encodeBlockIndexEntry({ ...entry, hasBlock: block.block !== undefined }));
    this.writeState(block);
    return endSequence;
  }

  private writeState(block: BlockRecords): void {
    const permissions = block.permissionChanges.map((change) => this.permissions.apply(change)).reverse();
    const abiKeys = block.abiChanges.map((change) => putAbi(this.tables, block.position.num, change));
    const reversible = block.position.num > block.lastIrreversible.num;
    if (reversible && permissions.length + abiKeys.length > 0) {
      void this.tables.undo.put(blockKey(block.position.num), encodeUndo({ permissions, abiKeys }));
    }
  }

  /** What is irreversible is never taken back. */
  private pruneUndo(last: BlockRecords): void {
    const end = blockKey(Math.min(last.lastIrreversible.num, last.position.num) + 1);
    for (const key of this.tables.undo.getKeys({ end })) void this.tables.undo.remove(key);
  }

  /** Takes back every block from `block`'s number on. */
  private async undoTo(block: BlockRecords): Promise<void> {
    const status = readStatus(this.tables);
    const from = block.position.num;
    if (status.lastIrreversible && from <= status.lastIrreversible.num) {
      throw new HistoryError(
        'FORK_TOO_DEEP',
        `block ${from} has another id than the one stored, but block ${status.lastIrreversible.num} is irreversible`,
      );
    }
    await this.commit(() => this.removeFrom(from, status));
    this.postings.forget();
    this.hasFirstBlock = readFact(this.tables, 'firstBlockNum') !== undefined;
  }

  private removeFrom(from: number, status: ChainStatus): void {
    const committed = status.committed as BlockPosition;
    const first = readBlockIndex(this.tables, from);
    if (first) this.removeActions(first.firstSequence);
    for (let num = committed.num; num >= from; num--) {
      const key = blockKey(num);
      const undo = this.tables.undo.get(key);
      if (undo) this.applyUndo(undo);
      void this.tables.undo.remove(key);
      void this.tables.blockBodies.remove(key);
      void this.tables.blockIndex.remove(key);
    }
    this.permissions.flush();
    const previous = readBlockIndex(this.tables, from - 1);
    if (previous) writeFact(this.tables, 'committed', positionOf(from - 1, previous));
    else removeFact(this.tables, 'committed');
    if (from <= (status.firstBlockNum ?? 0)) removeFact(this.tables, 'firstBlockNum');
    writeFact(this.tables, 'revision', status.revision + 1);
  }

  private applyUndo(bytes: Buffer): void {
    const undo = decodeUndo(bytes);
    for (const change of undo.permissions) this.permissions.apply(change);
    for (const key of undo.abiKeys) void this.tables.abis.remove(key);
  }

  /** Removes every action from `sequence` on: its page, its transaction's key, its postings. */
  private removeActions(sequence: number): void {
    const lists = new Map<string, Buffer>();
    const note = (account: string, kind: number): void => {
      const prefix = listPrefix(account, kind);
      lists.set(prefix.toString('latin1'), prefix);
    };
    for (const { key, value } of this.tables.pages.getRange({ start: sequenceKey(sequence) })) {
      void this.tables.pages.remove(key);
      for (const transaction of new TracePage(value).transactions) {
        const { id, firstSequence } = transaction.record;
        void this.tables.transactions.remove(transactionKey(id, firstSequence));
        for (const paged of transaction.actions) {
          const action = decodePagedAction(transaction, paged);
          const kind = this.kinds.kind(action.account, action.name);
          const accounts = [
            ...action.traces.map(({ receiver }) => receiver),
            ...action.authorization.map((l) => l.actor),
          ];
          for (const account of accounts) for (const each of [ALL_KINDS, kind]) note(account, each);
          const wholeChain = [ALL_KINDS, kind, this.kinds.kind(action.account, ''), this.kinds.kind('', action.name)];
          for (const each of wholeChain) note(WHOLE_CHAIN, each);
        }
      }
    }
    for (const prefix of lists.values()) truncateList(this.tables, prefix, sequence);
  }

  /** Runs the puts of `write` as one transaction; resolves when it is on disk. */
  private async commit(write: () => void): Promise<void> {
    await this.tables.root.batch(write);
    await this.tables.root.flushed;
  }
}

function assertFollows(block: BlockRecords, tip: BlockPosition | undefined): void {
  if (!tip) return;
  if (block.position.num === tip.num + 1 && block.previous?.id === tip.id) return;
  throw new HistoryError(
    'BLOCK_GAP',
    `block ${block.position.num} follows ${block.previous?.id ?? 'nothing'}, the committed head is ${tip.num} ${tip.id}`,
  );
}
