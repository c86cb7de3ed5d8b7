/** No turn starts in an iteration of the event loop whose turns have taken this long. */
const ITERATION_MS = 4;
/** Length of a turn. Most responses are rendered in one turn, so that their objects become garbage early. */
const TURN_MS = 10;
/** Maximum time that requests wait while the process accepts connections. */
const ACCEPTING_MS = 8;

type Waiter = () => void;

/**
 * Schedules the turns of requests on the event loop. The time of all turns in one iteration is bounded, because connections
 * are accepted (one per iteration) and read only between iterations; while connections wait to be accepted, requests wait
 * too. Turns alternate between requests that had none yet and the others, so that new requests overtake long ones: most
 * requests need only one turn.
 */
export class EventLoopTurns {
  private readonly first: Waiter[] = [];
  private readonly further: Waiter[] = [];
  private isFirstNext = true;
  private isGiving = false;
  private iterationEnd = 0;
  private accepted = 0;

  /** `acceptedConnections` returns the number of connections accepted since the process started. */
  constructor(private readonly acceptedConnections: () => number) {}

  /** Resolves when the caller's turn starts, with the end of the turn in the time of `performance.now()`. */
  take(hadTurn: boolean): Promise<number> {
    return new Promise((resolve) => {
      (hadTurn ? this.further : this.first).push(() => resolve(performance.now() + TURN_MS));
      if (!this.isGiving) this.giveInNextIteration();
    });
  }

  private giveInNextIteration(): void {
    this.isGiving = true;
    setImmediate(() => {
      if (this.isAccepting()) return this.giveInNextIteration();
      this.iterationEnd = performance.now() + ITERATION_MS;
      this.giveNext();
    });
  }

  /** Whether a connection was accepted in this iteration, so that more may be waiting. */
  private isAccepting(): boolean {
    const before = this.accepted;
    this.accepted = this.acceptedConnections();
    return this.accepted !== before && performance.now() < this.iterationEnd + ACCEPTING_MS;
  }

  private giveNext(): void {
    const waiter = this.shift();
    this.isGiving = waiter !== undefined;
    if (!waiter) return;
    waiter();
    // A tick requested by a microtask runs when no microtask is left, which is when the turn is over.
    queueMicrotask(() => process.nextTick(() => this.goOn()));
  }

  private goOn(): void {
    if (performance.now() < this.iterationEnd) this.giveNext();
    else this.giveInNextIteration();
  }

  private shift(): Waiter | undefined {
    const [preferred, other] = this.isFirstNext ? [this.first, this.further] : [this.further, this.first];
    this.isFirstNext = !this.isFirstNext;
    return preferred.shift() ?? other.shift();
  }
}
