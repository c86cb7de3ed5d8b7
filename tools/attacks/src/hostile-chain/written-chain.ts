import type { ExecutedTrace } from './executed-trace';
import type { Expectation } from './specs';

/** What the recording holds of the chain's final branch, to ask for and to compare with. */
export interface WrittenChain {
  /** The last global sequence of the recorded chain before it. */
  sequencesBefore: number;
  blocks: WrittenBlock[];
  transactions: WrittenTransaction[];
  actions: WrittenAction[];
}

export interface WrittenBlock {
  attack: string;
  num: number;
  id: string;
}

export interface WrittenTransaction {
  attack: string;
  id: string;
  blockNum: number;
  /** Delayed transactions are in blocks and have no history. */
  executed: boolean;
  traces: number;
}

export interface WrittenAction {
  attack: string;
  blockNum: number;
  account: string;
  name: string;
  /** The global sequence of the receipt of each that received it, the contract first. */
  sequences: Map<string, number>;
  authorizers: Set<string>;
  data: Buffer;
  contextFree: boolean;
  expected: Expectation | undefined;
}

/** The actions of a transaction's traces: its notifications belong to the trace of the contract. */
export function writtenActions(attack: string, blockNum: number, traces: readonly ExecutedTrace[]): WrittenAction[] {
  const actions = new Map<number, WrittenAction>();
  for (const { spec, receiver, ordinal, creatorOrdinal, globalSequence, contextFree } of traces) {
    const creator = receiver === spec.account ? undefined : actions.get(creatorOrdinal);
    if (creator) {
      creator.sequences.set(receiver, globalSequence);
      continue;
    }
    actions.set(ordinal, {
      attack,
      blockNum,
      account: spec.account,
      name: spec.name,
      sequences: new Map([[receiver, globalSequence]]),
      authorizers: new Set((spec.authorization ?? []).map(({ actor }) => actor)),
      data: spec.data,
      contextFree,
      expected: spec.expected,
    });
  }
  return [...actions.values()];
}
