import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ActionsRequest, ChainModel, CommittedState, GeneratedBlock } from '@antelope-history/chain-generator';
import {
  readEventStream,
  readWebSocketStream,
  type ServerSentEvent,
} from '@antelope-history/test-support/event-stream';
import { pick, type Random } from '@antelope-history/test-support/random';
import type { BlockOffers } from './block-offers';
import type { FirstBlocks } from './first-blocks';

const PATH = '/v1/history/stream';

/** The parameters of a stream that begins at a block. */
export interface StreamRequest extends Pick<
  ActionsRequest,
  'account_name' | 'filter' | 'transfer.from' | 'transfer.to'
> {
  after: number;
  irreversible_only?: boolean;
}

/** An event that must not come, or did not come. */
export interface StreamFault {
  query: { path: typeof PATH; body: StreamRequest };
  event: string;
  reason: string;
  /** What came before, the newest last: types, ids and facts of events, and the beginnings of connections. */
  before: readonly string[];
}

export interface StreamClientParts {
  model: ChainModel;
  offers: BlockOffers;
  firsts: FirstBlocks;
  url: string;
  random: Random;
}

/** What a client stores with each event, in one step. */
interface Stored {
  lastId: string | undefined;
  /** Rows after `compared`. */
  rows: readonly Row[];
  /** The block of the last `head`: the rows up to it were compared with the model. */
  compared: CommittedState;
  irreversibleNum: number;
  /** The lowest number that the first block of the history had when the stream began. */
  first: number;
}

interface Row {
  block_num: number;
}

interface BlockEvent {
  block_num: number;
  block_id: string;
}

const TRANSPORTS = [readEventStream, readWebSocketStream];
const RECONNECT_MS = 300;
/** A connection is cut by the client after at most so many events. */
const MAX_EVENTS = 120;
/** One of so many connections begins at an earlier event, as that of a client that was restored from a backup. */
const RESTORED_IN = 6;
const MAX_BACKUPS = 50;
const KEPT_EVENTS = 30;
const KEPT_CHARACTERS = 200;
/** The status of a refused stream, in the errors of both transports. */
const BLOCKS_REMOVED = /\b410\b/;

/**
 * A client of the stream that keeps exactly the committed rows, as docs/stream.md describes it: it stores the id of each event with
 * what the event says, removes rows at a `fork`, and continues at the stored id however its connection ends. At each `head` its rows
 * are compared with the model.
 */
export class StreamClient {
  readonly faults: StreamFault[] = [];
  /** The number of `head` events whose rows were compared. */
  compared = 0;
  private stored: Stored;
  private readonly backups: Stored[] = [];
  private readonly before: string[] = [];
  private readonly stopped = new AbortController();

  constructor(
    private readonly request: StreamRequest,
    private readonly parts: StreamClientParts,
  ) {
    this.stored = this.atBeginning();
  }

  /** Reads until `stop` or the first fault. */
  async run(): Promise<void> {
    const { random } = this.parts;
    while (!this.isDone()) {
      const connection = new AbortController();
      const signal = AbortSignal.any([connection.signal, this.stopped.signal]);
      let left = 1 + random(MAX_EVENTS);
      try {
        if (random(RESTORED_IN) === 0 && this.backups.length > 0) this.stored = pick(random, this.backups);
        if (this.stored.lastId === undefined) this.stored = this.atBeginning();
        this.remember(`connection from ${this.stored.lastId}`);
        const events = pick(random, TRANSPORTS)(this.address(), { lastEventId: this.stored.lastId, signal });
        for await (const event of events) {
          if (event.type !== 'close') this.take(event);
          if (this.isDone() || --left === 0) break;
        }
      } catch (error) {
        // Otherwise the service is killed, suspended or not started, or has no block yet.
        if (BLOCKS_REMOVED.test(String(error))) this.beginAgain();
      } finally {
        connection.abort();
      }
      await sleep(random(RECONNECT_MS));
    }
  }

  /** Whether everything up to a block was sent; for a stream of irreversible blocks, up to the last of them. */
  hasAllOf({ num, lastIrreversible }: GeneratedBlock): boolean {
    return (this.stored.compared?.num ?? 0) >= (this.request.irreversible_only ? lastIrreversible : num);
  }

  stop(): void {
    this.stopped.abort();
  }

  /** Adds a fault: what a client waits for does not come. */
  reportLate(reason: string): void {
    this.report('', reason);
  }

  private isDone(): boolean {
    return this.stopped.signal.aborted || this.faults.length > 0;
  }

  private atBeginning(): Stored {
    return { lastId: undefined, rows: [], compared: undefined, irreversibleNum: 0, first: this.parts.firsts.now };
  }

  /** The service says that it has removed blocks after the stored event; the client then takes what is left. */
  private beginAgain(): void {
    const { lastId } = this.stored;
    if (lastId === undefined || this.parts.firsts.highest <= lowestOf(lastId)) {
      this.report(`connection from ${lastId}`, 'the blocks after this event cannot have been removed');
    }
    this.stored = this.atBeginning();
    this.backups.length = 0;
  }

  private address(): string {
    const parameters = new URLSearchParams(
      Object.entries(this.request).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return `${this.parts.url}${PATH}?${parameters.toString()}`;
  }

  private take({ type, id, data }: ServerSentEvent): void {
    const event = `${type} ${id} ${data}`;
    const fault = this.handle(type, JSON.parse(data) as Row & BlockEvent);
    if (fault !== undefined) {
      this.report(event, fault);
      return;
    }
    this.remember(event);
    this.stored = { ...this.stored, lastId: id };
    this.backups.push(this.stored);
    if (this.backups.length > MAX_BACKUPS) this.backups.splice(this.parts.random(MAX_BACKUPS), 1);
  }

  /** Stores what an event says; returns what is wrong with it, in words. */
  private handle(type: string, fact: Row & BlockEvent): string | undefined {
    switch (type) {
      case 'action':
        this.stored = { ...this.stored, rows: [...this.stored.rows, fact] };
        return undefined;
      case 'fork':
        return this.request.irreversible_only ? 'a stream of irreversible blocks forks' : this.goBackTo(fact);
      case 'irreversible':
        return this.makeIrreversible(fact.block_num);
      case 'head':
        return this.compareUpTo(fact.block_id);
      default:
        return 'an event of this type is unknown';
    }
  }

  private goBackTo({ block_num: num, block_id: id }: BlockEvent): string | undefined {
    const { rows, compared, irreversibleNum } = this.stored;
    if (num < irreversibleNum) return `block ${irreversibleNum} was irreversible in an earlier event`;
    let ancestor = compared;
    while (ancestor && ancestor.num > num) ancestor = ancestor.parent;
    if (ancestor && ancestor.num === num && ancestor.id !== id) return 'the block is not on the branch of the client';
    const isRow = (row: Row): boolean => row.block_num <= num;
    this.stored = { ...this.stored, rows: compared === ancestor ? rows.filter(isRow) : [], compared: ancestor };
    return undefined;
  }

  private makeIrreversible(num: number): string | undefined {
    const { irreversibleNum } = this.stored;
    if (num > this.parts.offers.irreversibleNum) return 'no node reported this last irreversible block';
    if (num <= irreversibleNum) return `block ${irreversibleNum} was irreversible in an earlier event`;
    this.stored = { ...this.stored, irreversibleNum: num };
    return undefined;
  }

  private compareUpTo(id: string): string | undefined {
    const { model, offers } = this.parts;
    const { rows, compared } = this.stored;
    const head = offers.blocks.find((block) => block.id === id);
    if (!head) return 'no node has had this block';
    if (compared && !model.isOnBranch(compared, head)) return 'the block is on another branch, and no fork was sent';
    // No block after the first event of a stream may be missing.
    const firsts = compared ? [0] : this.parts.firsts.upTo(head.num, this.stored.first);
    const expected = firsts.map((first) => model.rowsAfter(compared, head, this.request, first) as Row[]);
    if (!expected.some((each) => isDeepStrictEqual(rows, each))) {
      return `rows of ${describe(rows)}; expected: ${expected.map(describe).join(' or ')}`;
    }
    this.stored = { ...this.stored, rows: [], compared: head };
    this.compared++;
    return undefined;
  }

  private remember(event: string): void {
    this.before.push(event.slice(0, KEPT_CHARACTERS));
    if (this.before.length > KEPT_EVENTS) this.before.shift();
  }

  private report(event: string, reason: string): void {
    this.faults.push({ query: { path: PATH, body: this.request }, event, reason, before: [...this.before] });
  }
}

/** The lowest block up to which a stream that continues after an event may go back: the irreversible one of the event's time. */
function lowestOf(id: string): number {
  return Math.min(parseInt(id.slice(0, 8), 16), Number(id.split('.').at(-1)));
}

function describe(rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => [row.block_num, (row as { global_action_seq?: unknown }).global_action_seq]));
}
