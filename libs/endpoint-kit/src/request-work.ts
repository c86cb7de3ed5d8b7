import { ResponseBudget } from '@antelope-history/responses';
import { acceptedConnections, BYTES_PER_COST } from '@antelope-history/app-runtime';
import { EventLoopTurns } from './event-loop-turns';
import type { LargeResponseLimit } from './large-responses';

/** Shared by all requests of a thread, whichever app they belong to. */
const turns = new EventLoopTurns(acceptedConnections);
/** A response above this size or work is large; most take a hundredth of it. */
const LARGE_BYTES = 4 * 1024 * 1024;
const LARGE_WORK = 2 * 1024 * 1024;
/** Work per unit of cost: about 6 ms of decoding, as long as sending `BYTES_PER_COST` takes. */
const WORK_PER_COST = 512 * 1024;
/** A step of a search, about 0.1 µs, in the units of the budget's work. */
const WORK_PER_STEP = 8;

/** The work on one request: its budget and its turns on the event loop. */
export class RequestWork {
  readonly budget = new ResponseBudget();
  private isLarge = false;
  private turnEnd: number | undefined;
  private searchWork = 0;

  /** `signal` aborts when the client disconnects. */
  constructor(
    private readonly largeResponses: LargeResponseLimit,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits for a turn on the event loop unless one is running. Rejects with the signal's reason if the client disconnected. */
  async turn(): Promise<void> {
    if (this.turnEnd === undefined || performance.now() >= this.turnEnd)
      this.turnEnd = await turns.take(this.turnEnd !== undefined);
    this.signal.throwIfAborted();
  }

  /**
   * Runs steps to their end, in turns between which other requests run. Rejects with the signal's reason if the client
   * disconnected, and with `UNAVAILABLE` if the response is large and too many others are.
   */
  async run<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      await this.turn();
      do {
        const { done, value } = steps.next();
        if (done) return value;
        if (!this.isLarge && this.hasGrownLarge()) await this.enterLarge();
      } while (this.turnEnd !== undefined && performance.now() < this.turnEnd);
    }
  }

  /**
   * Counts the work of a search and waits for the next turn if this one is over. Rejects like `run`: a long search counts as a
   * large response.
   */
  async pauseSearch(steps: number): Promise<void> {
    this.searchWork += steps * WORK_PER_STEP;
    if (!this.isLarge && this.hasGrownLarge()) await this.enterLarge();
    await this.turn();
  }

  /**
   * Waits until this may be one of the large responses, for work whose memory is taken before its bytes are counted. Rejects like
   * `run`.
   */
  async becomeLarge(): Promise<void> {
    if (!this.isLarge) await this.enterLarge();
    await this.turn();
  }

  /** Cost of the request in units; most requests cost one unit. */
  cost(): number {
    return 1 + Math.floor(this.budget.bytes / BYTES_PER_COST) + Math.floor(this.workCost());
  }

  /** The part of the cost that is decoding, compiling and searching, with its fraction. */
  workCost(): number {
    return (this.budget.work + this.searchWork) / WORK_PER_COST;
  }

  /** Ends the work after success or failure. */
  end(): void {
    if (this.isLarge) this.largeResponses.leave();
    this.isLarge = false;
  }

  private hasGrownLarge(): boolean {
    const { bytes, work } = this.budget;
    return bytes > LARGE_BYTES || work + this.searchWork > LARGE_WORK;
  }

  private async enterLarge(): Promise<void> {
    await this.largeResponses.enter(this.signal);
    this.isLarge = true;
  }
}
