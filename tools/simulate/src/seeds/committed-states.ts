import type { ChainModel, CommittedState, GeneratedBlock } from '@antelope-history/chain-generator';
import type { BlockOffers } from './block-offers';

export type Explains = (state: CommittedState) => boolean;

/**
 * The earliest states in which the service can be, by all responses so far: each later response has to be right in one of them, in
 * one that follows, or on a branch that a node has changed to since. So the committed state never goes back except by a fork.
 */
export class CommittedStates {
  private earliest: readonly CommittedState[] = [undefined];

  constructor(
    private readonly model: ChainModel,
    private readonly offers: BlockOffers,
  ) {}

  /** The states at the time of a request, which its response is compared with. */
  get now(): readonly CommittedState[] {
    return this.earliest;
  }

  /**
   * Whether a response is right in a state that can be reached from those at its request. If it is, later responses must come
   * from these states on.
   */
  narrow(atRequest: readonly CommittedState[], explains: Explains): boolean {
    const found = this.explaining(atRequest, explains);
    if (found.size === 0) return false;
    this.earliest = this.earliest === atRequest ? [...found] : this.later([...found]);
    return true;
  }

  /** The earliest states in which a response is right, of those that can be reached from the states at its request. */
  explaining(atRequest: readonly CommittedState[], explains: Explains): Set<CommittedState> {
    const found = new Set<CommittedState>();
    for (const state of atRequest) this.search(state, explains, found);
    return found;
  }

  private search(from: CommittedState, explains: Explains, found: Set<CommittedState>): void {
    if (this.forward(from, explains, found)) return;
    if (!from) return;
    const before = found.size;
    let lowestFork: GeneratedBlock | undefined;
    // A fork: back to a common ancestor, and on along a branch that a node had after the one that is left.
    let below = from;
    for (let at = from.parent; at && below !== this.offers.first; below = at, at = at.parent) {
      const branches = this.offers.next(at).filter((block) => block !== below && this.offers.isHeldAfter(block, from));
      if (branches.length === 0) continue;
      lowestFork = at;
      if (explains(at)) found.add(at);
      else for (const branch of branches) this.forward(branch, explains, found);
    }
    if (found.size === before && lowestFork) this.searchReturn(from, lowestFork, explains, found);
  }

  /**
   * A node that lags behind may have had a branch that others had left: the service then shows that branch, and afterwards again
   * blocks that it had shown before. `fork`: where the lowest such branch began.
   */
  private searchReturn(
    from: GeneratedBlock,
    fork: GeneratedBlock,
    explains: Explains,
    found: Set<CommittedState>,
  ): void {
    for (let at = from.parent; at && at !== fork; at = at.parent) {
      if (this.offers.isHeldAfter(at, from) && explains(at)) found.add(at);
    }
  }

  /** Adds the first states that explain a response, from one on; returns whether that one does. */
  private forward(from: CommittedState, explains: Explains, found: Set<CommittedState>): boolean {
    const open: CommittedState[] = [from];
    let isFirst = false;
    while (open.length > 0) {
      const state = open.pop();
      if (explains(state)) {
        found.add(state);
        isFirst ||= state === from;
      } else {
        open.push(...this.offers.next(state));
      }
    }
    return isFirst;
  }

  /** Joins what a response says with what others said since its request: of two states on one branch the later one. */
  private later(found: readonly CommittedState[]): readonly CommittedState[] {
    const joined = new Set<CommittedState>();
    for (const state of found) {
      for (const known of this.earliest) {
        if (this.isAtOrAfter(state, known)) joined.add(state);
        else if (this.isAtOrAfter(known, state)) joined.add(known);
        else joined.add(known).add(state);
      }
    }
    // Of states on one branch the earliest stands for all that follow.
    const all = [...joined];
    return all.filter((state) => !all.some((other) => other !== state && this.isAtOrAfter(state, other)));
  }

  private isAtOrAfter(state: CommittedState, other: CommittedState): boolean {
    return state === other || other === undefined || this.model.isOnBranch(other, state);
  }
}
