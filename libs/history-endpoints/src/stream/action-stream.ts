import { type AbiReader, type LargeResponseLimit, RequestWork, shownHeads } from '@antelope-history/endpoint-kit';
import { ownTrace } from '@antelope-history/responses';
import { readBlockHeader } from '@antelope-history/ship';
import { type ActionFilter, type BlockPosition, hasErrorCode, HistoryError } from '@antelope-history/schemas';
import {
  type ActionsQuery,
  type ChainStatus,
  type DataCondition,
  type HistoryReader,
  isRemovedBlock,
  type StoredAction,
} from '@antelope-history/store';
import { abisOfActions, renderActionRows } from '../get-actions-response';
import type { CommittedHead } from './committed-head';
import { type StreamCursor, writeCursor } from './stream-cursor';

/** `id`: the cursor from which a stream continues after the event. */
export type StreamEvent =
  /** A row as in `get_actions`. */
  | { type: 'action'; id: string; row: string }
  /**
   * `fork`: the rows of all blocks above are void. `irreversible`: the block is irreversible. `head`: all rows up to the block
   * were sent.
   */
  | { type: 'fork' | 'irreversible' | 'head'; id: string; block: BlockPosition };

export interface StreamQuery {
  account: string | undefined;
  filters: ActionFilter[];
  data: readonly DataCondition[];
  /**
   * No rows of blocks below are sent, also after a cursor or a fork. Undefined = a stream without a cursor begins after the
   * committed head.
   */
  firstBlockNum: number | undefined;
  irreversibleOnly: boolean;
}

export interface ActionStreamDeps {
  reader: HistoryReader;
  abis: AbiReader;
  head: Pick<CommittedHead, 'changedFrom'>;
  largeResponses: LargeResponseLimit;
}

/** Rows that are read at once; as many are rendered before the first of them is sent. */
const PAGE_ROWS = 100;
/**
 * At most this many sent blocks are remembered to find where a fork begins. A fork that begins below them is reported as one that
 * begins at the last irreversible block.
 */
const MAX_TRAIL = 4096;
/** An hour of blocks. No service that lags further has clients, so a cursor that is further ahead is of another chain, or forged. */
const MAX_LAG_BLOCKS = 7_200;

/**
 * `texts`: the JSON of the rows, or of the first of them. `isLast`: no further rows match up to the last block that was searched.
 */
interface Page {
  rows: StoredAction[];
  texts: string[];
  isLast: boolean;
}

/** The place up to which rows were sent. */
interface Place {
  num: number;
  /** Undefined before the first block of a stream: nothing was sent then. */
  id: string | undefined;
  /** As in `StreamCursor`. */
  sequence: number | undefined;
  /** The number of the block's rows that the next page skips; 0 unless the stream is in the middle of the block. */
  rows: number;
}

/**
 * The actions that a query matches, as they are committed. The rows between two `fork` events are those of one branch, complete
 * and in order; a stream that continues at a cursor sends what follows it, or first a `fork` if its block is an orphan.
 */
export class ActionStream {
  private place: Place = { num: 0, id: undefined, sequence: undefined, rows: 0 };
  /**
   * The revision of the branch on which the place was found. The head in a status of another revision may be an orphan, so such a
   * status is read again.
   */
  private revision = -1;
  private irreversibleNum = 0;
  /** The last irreversible block that the client knows: those up to `irreversibleNum` are announced when it has their rows. */
  private announcedNum = 0;
  /** The most blocks in which the store searches the next page. */
  private reach = Infinity;
  /** The reversible blocks about which events were sent, ascending, after one irreversible block. */
  private trail: BlockPosition[] = [];

  constructor(
    private readonly deps: ActionStreamDeps,
    private readonly query: StreamQuery,
    private readonly signal: AbortSignal,
    /** Called with the cost of the work as it is done; it may be a fraction of a unit. */
    private readonly charge: (cost: number) => void = () => undefined,
  ) {}

  /** The events end only with an error: the reason of the signal, or an error of the store. */
  async *events(cursor: StreamCursor | undefined): AsyncGenerator<StreamEvent, never> {
    const { reader, head } = this.deps;
    let status = await this.statusFor(cursor);
    yield* this.begin(cursor, status);
    let announced = '';
    for (;;) {
      if (status.revision !== this.revision) yield* this.returnToBranch(status);
      const isCurrent = status.revision === this.revision;
      const last = this.lastOf(status);
      if (last && isCurrent) {
        yield* this.actionsUpTo(last, status);
        if (this.place.id === last.id && this.place.sequence === undefined && last.id !== announced) {
          announced = last.id;
          yield* this.announce(last, status);
        }
      }
      const isDone = isCurrent && this.place.num >= (last?.num ?? 0) && this.place.sequence === undefined;
      status = isDone ? await head.changedFrom(status, this.signal) : await reader.getStatus();
    }
  }

  /** The last block whose rows may be sent; undefined when there is none. */
  private lastOf({ committed, lastIrreversible, firstBlockNum = 0 }: ChainStatus): BlockPosition | undefined {
    if (!this.query.irreversibleOnly || !committed) return committed;
    if (!lastIrreversible || lastIrreversible.num < firstBlockNum) return undefined;
    return lastIrreversible.num < committed.num ? lastIrreversible : committed;
  }

  /**
   * The status with which a stream begins. If another service sent the cursor and this one lags behind it, the stream waits until it
   * continues, or returns, above the blocks that the other one has named irreversible. One of irreversible rows has nothing to send
   * before, and this service may leave a block that it has only committed.
   */
  private async statusFor(cursor: StreamCursor | undefined): Promise<ChainStatus> {
    const { reader, head } = this.deps;
    let status = await reader.getStatus();
    if (!cursor) return status;
    const { irreversibleOnly } = this.query;
    const fixed = irreversibleOnly ? cursor.block.num : cursor.irreversibleNum;
    while (isYetToCome(fixed, status) && (irreversibleOnly || !(await this.isCommitted(cursor.block.id)))) {
      status = await head.changedFrom(status, this.signal);
    }
    return status;
  }

  private async *begin(cursor: StreamCursor | undefined, status: ChainStatus): AsyncGenerator<StreamEvent> {
    this.revision = status.revision;
    this.irreversibleNum = shownHeads(status).lastIrreversible;
    const { firstBlockNum } = this.query;
    // A stream that begins after the head sends no rows of irreversible blocks.
    this.announcedNum = Math.min((firstBlockNum ?? Infinity) - 1, this.irreversibleNum);
    if (cursor) {
      this.announcedNum = Math.min(cursor.irreversibleNum, cursor.block.num);
      this.place = { ...cursor.block, sequence: cursor.sequence, rows: 0 };
      this.requireNext(status);
      if (!(await this.isCommitted(cursor.block.id))) yield* this.leaveOrphan(cursor, status);
    } else if (firstBlockNum === undefined) {
      const last = this.lastOf(status);
      if (last) this.completeTo(last);
    } else this.place = { num: firstBlockNum - 1, id: undefined, sequence: undefined, rows: 0 };
  }

  /**
   * Returns from the block of a cursor that is not committed. The block before the history, that of a snapshot for example, is not stored,
   * and nothing is void above it: a stream of irreversible rows, which has no `fork`, goes on there.
   */
  private async *leaveOrphan(cursor: StreamCursor, status: ChainStatus): AsyncGenerator<StreamEvent> {
    const { num } = cursor.block;
    const ancestor = await this.ancestorAt(Math.min(cursor.irreversibleNum, num - 1, this.irreversibleNum), status);
    if (this.query.irreversibleOnly && ancestor.num >= num) this.completeTo(ancestor);
    else yield* this.forkTo(ancestor);
  }

  /** Sends a `fork` if the place is no longer on the committed branch. */
  private async *returnToBranch(status: ChainStatus): AsyncGenerator<StreamEvent> {
    this.revision = status.revision;
    const { num, id } = this.place;
    if (id === undefined || num <= this.irreversibleNum || (await this.isCommitted(id))) return;
    for (let sent = this.trail.pop(); sent && sent.num >= this.irreversibleNum; sent = this.trail.pop()) {
      if (sent.num < num && (await this.isCommitted(sent.id))) {
        yield* this.forkTo(sent);
        return;
      }
    }
    const fixed = Math.max(this.irreversibleNum, this.announcedNum);
    yield* this.forkTo(await this.ancestorAt(Math.min(fixed, num - 1), status));
  }

  /** Throws `BLOCKS_REMOVED` when the service has not all blocks after the place: the stream would go on without their rows. */
  private requireNext(status: ChainStatus): void {
    const { num, id, sequence } = this.place;
    const next = sequence === undefined ? num + 1 : num;
    const isMissing = isRemovedBlock(next, status) || isBelowHistory(next, this.query, status);
    if (id !== undefined && isMissing) throw blocksRemoved();
  }

  private *forkTo(block: BlockPosition): Generator<StreamEvent> {
    this.completeTo(block);
    this.announcedNum = Math.min(this.announcedNum, block.num);
    yield { type: 'fork', id: this.cursor(), block };
  }

  /** Sends the rows up to a block; returns early after a fork, and when the page was read from another branch. */
  private async *actionsUpTo(last: BlockPosition, status: ChainStatus): AsyncGenerator<StreamEvent> {
    while (this.place.num < last.num || (this.place.num === last.num && this.place.sequence !== undefined)) {
      const reached = this.place.num + this.reach;
      const end = reached < last.num ? await this.blockAtOrBelow(reached, status) : last;
      const page = await this.readPage(end);
      if (page === 'too broad') continue;
      if (!page) return;
      for (const [index, text] of page.texts.entries()) {
        const row = page.rows[index] as StoredAction;
        if (this.moveTo(row)) yield { type: 'action', id: this.cursor(), row: text };
      }
      if (page.isLast) this.completeTo(end);
    }
  }

  /** As `readRows`; halves the reach when the store refuses to search that many blocks, and doubles it otherwise. */
  private async readPage(end: BlockPosition): Promise<Page | 'too broad' | undefined> {
    const blocks = end.num - this.place.num;
    try {
      const page = await this.readRows(end);
      this.reach *= 2;
      return page;
    } catch (error) {
      if (!hasErrorCode(error, 'QUERY_TOO_BROAD') || blocks <= 1) throw error;
      this.reach = Math.floor(blocks / 2);
      return 'too broad';
    }
  }

  /** Undefined when the committed branch is no longer the one that the place is on. */
  private async readRows(last: BlockPosition): Promise<Page | undefined> {
    const { reader, abis, largeResponses } = this.deps;
    const { account, filters, data, firstBlockNum = 0 } = this.query;
    const { num, sequence, rows: sent } = this.place;
    const query: ActionsQuery = {
      account,
      filters,
      data,
      after: { blockNum: Math.max(firstBlockNum, sequence === undefined ? num + 1 : num) },
      before: { blockNum: last.num },
      parent: undefined,
      order: 'asc',
      skip: sequence === undefined ? 0 : sent,
      limit: PAGE_ROWS,
      window: 'skip',
    };
    const work = new RequestWork(largeResponses, this.signal);
    let charged = 0;
    const charge = (): void => {
      this.charge(work.workCost() - charged);
      charged = work.workCost();
    };
    const pause = (steps: number): Promise<void> => {
      const turn = work.pauseSearch(steps);
      charge();
      return turn;
    };
    try {
      await work.turn();
      const { found, decoders } = await abis.read(
        work,
        () => reader.getActions(query, pause),
        ({ rows }) => abisOfActions(rows),
      );
      if (found.status.revision !== this.revision) return undefined;
      this.requireNext(found.status);
      const texts = await work.run(renderActionRows(found.rows, account, decoders, work.budget));
      return { rows: found.rows, texts, isLast: !found.more && texts.length === found.rows.length };
    } finally {
      charge();
      work.end();
    }
  }

  /** Moves the place to a row; returns whether the row was not sent before. */
  private moveTo({ action, blockNum, blockId }: StoredAction): boolean {
    const { num, sequence: sent, rows } = this.place;
    const { globalSequence } = ownTrace(action).receipt;
    const isSameBlock = blockNum === num && sent !== undefined;
    if (!isSameBlock) this.remember({ num: blockNum, id: blockId });
    const isNew = !isSameBlock || globalSequence > sent;
    this.place = {
      num: blockNum,
      id: blockId,
      sequence: isNew ? globalSequence : sent,
      rows: isSameBlock ? rows + 1 : 1,
    };
    return isNew;
  }

  private *announce(last: BlockPosition, status: ChainStatus): Generator<StreamEvent> {
    const irreversible = status.lastIrreversible;
    if (irreversible && irreversible.num > this.announcedNum && irreversible.num <= last.num) {
      this.announcedNum = irreversible.num;
      this.irreversibleNum = irreversible.num;
      this.forgetIrreversible();
      yield { type: 'irreversible', id: this.cursor(), block: irreversible };
    }
    yield { type: 'head', id: this.cursor(), block: last };
  }

  private completeTo(block: BlockPosition): void {
    this.place = { ...block, sequence: undefined, rows: 0 };
    this.remember(block);
  }

  private remember(block: BlockPosition): void {
    if (block.num <= this.irreversibleNum) this.trail = [block];
    else if (this.trail.at(-1)?.id !== block.id) this.trail.push(block);
    if (this.trail.length > MAX_TRAIL) this.trail.shift();
  }

  private forgetIrreversible(): void {
    const firstKept = this.trail.findLastIndex(({ num }) => num <= this.irreversibleNum);
    if (firstKept > 0) this.trail.splice(0, firstKept);
  }

  /**
   * The block with a number up to which the client's branch is the committed one. Throws `BLOCKS_REMOVED` when it was removed.
   */
  private async ancestorAt(num: number, status: ChainStatus): Promise<BlockPosition> {
    if (isRemovedBlock(num, status)) throw blocksRemoved();
    return this.blockAtOrBelow(num, status);
  }

  /**
   * The committed block with a number. Below the history it is the block before the first one, which is not stored, as is the content of
   * a snapshot's block: the status may have its id, and the block after it has. Otherwise the id is the number and zeros.
   */
  private async blockAtOrBelow(num: number, status: ChainStatus): Promise<BlockPosition> {
    const { reader } = this.deps;
    const wanted = Math.max(num, (status.firstBlockNum ?? 0) - 1);
    const { block } = await reader.getBlock({ num: wanted });
    const known = [block?.position, status.lastIrreversible, status.committed].find((each) => each?.num === wanted);
    if (known) return known;
    const { block: next } = await reader.getBlock({ num: wanted + 1 });
    const prefix = wanted.toString(16).padStart(8, '0');
    const previous = next && readBlockHeader(next.block).previous;
    return { num: wanted, id: previous?.startsWith(prefix) ? previous : prefix.padEnd(64, '0') };
  }

  private async isCommitted(id: string): Promise<boolean> {
    const { block, status } = await this.deps.reader.getBlock({ id });
    this.revision = status.revision;
    return block !== undefined;
  }

  /**
   * A stream that continues at the cursor announces irreversible blocks above the one in the cursor, and returns to that one when
   * the place is an orphan. So while the newest irreversible block is not announced, the cursor has the highest one below it.
   */
  private cursor(): string {
    const { num, id, sequence } = this.place;
    const irreversibleNum = Math.max(this.announcedNum, Math.min(this.irreversibleNum - 1, num));
    return writeCursor({ block: { num, id: id ?? '' }, sequence, irreversibleNum });
  }
}

/** Whether a block that is irreversible elsewhere is not yet so here, and may become so soon. */
function isYetToCome(num: number, status: ChainStatus): boolean {
  const { head, lastIrreversible } = shownHeads(status);
  return num > lastIrreversible && num <= Math.max(head, status.head?.num ?? 0) + MAX_LAG_BLOCKS;
}

/**
 * Whether a stream asks for rows from this block on, and the history, which may begin at a snapshot, begins above. Block 1 follows no
 * event: a client that sends a cursor at block 0 takes the history from where it begins.
 */
export function isBelowHistory(
  num: number,
  { firstBlockNum: asked = 0 }: Pick<StreamQuery, 'firstBlockNum'>,
  { firstBlockNum = 0 }: ChainStatus,
): boolean {
  return num > 1 && Math.max(num, asked) < firstBlockNum;
}

export function blocksRemoved(): HistoryError {
  return new HistoryError('BLOCKS_REMOVED', 'the service does not have the blocks after this event: begin again');
}
