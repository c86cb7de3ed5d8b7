/** No turn begins in an iteration of the event loop in which turns have taken so long. */
const ITERATION_MS = 4;
/** A turn ends after so long: most responses are made in one, so that what they are made of is garbage early. */
const TURN_MS = 10;
/** As long as connections are accepted, requests wait for their turns; not longer than this. */
const ACCEPTING_MS = 8;

type Waiter = () => void;

/**
 * The turns of requests on the event loop. What all of them do in one iteration is bounded, because connections are
 * accepted (one per iteration) and read between iterations only; as long as connections wait to be accepted, requests wait
 * too. A request that had no turn yet goes before those that had, which get every second turn: most requests need one.
 */
export class EventLoopTurns {
  private readonly first: Waiter[] = [];
  private readonly further: Waiter[] = [];
  private isFirstNext = true;
  private isGiving = false;
  private iterationEnd = 0;
  private accepted = 0;

  /** `acceptedConnections`: how many there were so far. */
  constructor(private readonly acceptedConnections: () => number) {}

  /** Resolves when it is the caller's turn, with its end by `performance.now()`. */
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

  /** Connections came in this iteration, so that more may wait. */
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
    // A tick that a microtask asks for runs when no microtask is left: the turn is over then.
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
