import type { ChainModel, CommittedState, GeneratedChain } from '@antelope-history/chain-generator';
import { createRandom } from '@antelope-history/test-support/random';
import type { BlockOffers } from './block-offers';
import type { CommittedStates } from './committed-states';

/** One of so many seeds keeps its newest blocks only. */
const RETAINS_IN = 3;
/** A store that keeps more than so many blocks may wait until it can remove several at once. */
const MAX_RETAINED = 10;

/** The number of blocks that the service of a seed keeps; 0 = all. No other draw of the seed depends on it. */
export function drawRetention(seed: number): number {
  const random = createRandom(seed ^ 0x4e7a);
  return random(RETAINS_IN) === 0 ? 1 + random(MAX_RETAINED) : 0;
}

export interface FirstBlockParts {
  chain: GeneratedChain;
  model: ChainModel;
  offers: BlockOffers;
  /** 0 = all. */
  retainBlocks: number;
}

/**
 * The numbers that the first block of the history can have, by all responses so far. It only rises, at any time after the block that
 * removes another one is committed. No block is removed that is reversible, or among the newest ones.
 */
export class FirstBlocks {
  private readonly start: number;
  private lowest: number;

  constructor(private readonly parts: FirstBlockParts) {
    const { first, isSnapshot } = parts.chain;
    this.start = isSnapshot ? first.num + 1 : first.num;
    this.lowest = this.start;
  }

  /** The lowest one at the time of a request. */
  get now(): number {
    return this.lowest;
  }

  /** The number of blocks that are known to be removed. */
  get removed(): number {
    return this.lowest - this.start;
  }

  raise(first: number): void {
    this.lowest = Math.max(this.lowest, first);
  }

  /** Those of a service in a state, from one on. None when so many blocks cannot have been removed in that state. */
  of(state: CommittedState, from: number): number[] {
    const { retainBlocks } = this.parts;
    return range(from, state && retainBlocks > 0 ? this.highestAt(this.highestNum(state)) : this.start);
  }

  /** Those of a service in any state, from one on, as far as they tell what is shown of the blocks up to `last`. */
  upTo(last: number, from: number): number[] {
    return range(from, Math.max(from, Math.min(this.highest, last + 1)));
  }

  /** The highest one of all states. */
  get highest(): number {
    return this.highestAt(this.parts.offers.headNum);
  }

  /** As `CommittedStates.narrow`; a response is that of a state and a first block. */
  narrow(
    states: CommittedStates,
    { now, first }: { now: readonly CommittedState[]; first: number },
    isOf: (state: CommittedState, first: number) => boolean,
  ): boolean {
    const firstsOf = remembered((state: CommittedState) => this.of(state, first));
    const isOfState = remembered((state: CommittedState) => remembered((num: number) => isOf(state, num)));
    if (!states.narrow(now, (state) => firstsOf(state).some((num) => isOfState(state)(num)))) return false;
    const isPossible = (num: number): boolean =>
      states.explaining(now, (state) => firstsOf(state).includes(num) && isOfState(state)(num)).size > 0;
    this.raise(this.upTo(Infinity, first).find(isPossible) ?? first);
    return true;
  }

  /** As `narrow`, in one state. */
  narrowAt(state: CommittedState, first: number, isOf: (state: CommittedState, first: number) => boolean): boolean {
    const found = this.of(state, first).find((num) => isOf(state, num));
    if (found !== undefined) this.raise(found);
    return found !== undefined;
  }

  private highestAt(committed: number): number {
    const { retainBlocks, offers } = this.parts;
    if (retainBlocks === 0) return this.start;
    return Math.max(this.start, Math.min(committed - retainBlocks + 1, offers.irreversibleNum));
  }

  /** The highest block that a service in a state may have had: it returns to the state, or below, only for another branch. */
  private highestNum(state: NonNullable<CommittedState>): number {
    const { offers, model } = this.parts;
    const hasForked = offers.blocks.some((block) => !model.isOnBranch(block, state) && !model.isOnBranch(state, block));
    const isForkPoint = offers.next(state).length > 1;
    return hasForked || isForkPoint ? offers.headNum : state.num;
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** A function that is called once for each argument: a response is made for each state and first block. */
function remembered<Argument, Result>(of: (argument: Argument) => Result): (argument: Argument) => Result {
  const known = new Map<Argument, { result: Result }>();
  return (argument) => {
    const found = known.get(argument) ?? { result: of(argument) };
    known.set(argument, found);
    return found.result;
  };
}
