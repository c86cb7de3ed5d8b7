import type { GeneratedBlock, GeneratedChain } from '@antelope-history/chain-generator';
import type { Random } from '@antelope-history/test-support/random';

/** A way to break something. `strike` resolves when what it broke works again, as far as the fault itself mends it. */
export interface Fault {
  /** Counted under this name. */
  name: string;
  /** `count` adds what came of it to the counts of the run, where that depends on the moment. */
  strike(random: Random, count: (what: string) => void): Promise<void>;
}

/** The last blocks of a chain, which all nodes have without a fork, and which are kept for a trial. */
export interface LastBlocks {
  readonly left: number;
  /** All nodes have some more blocks; returns the last of them. */
  play(blocks: number): GeneratedBlock;
  /** Whether the service shows a block within a time. */
  isShownWithin(block: GeneratedBlock, limitMs: number): Promise<boolean>;
}

/** A fault that shows in the time that the service takes or in its metrics: it strikes alone, when the others are over. */
export interface Trial {
  name: string;
  /** Resolves with what was wrong, in words; with undefined when nothing was. */
  run(last: LastBlocks): Promise<string | undefined>;
}

/** What a set is started with. */
export interface SetParts {
  chain: GeneratedChain;
  /** URLs of the nodes. */
  urls: readonly string[];
  /** For the logs. */
  folder: string;
  random: Random;
  /** The chain goes on for up to twice this time. */
  spanMs: number;
  /** The number of newest blocks that the store keeps; 0 = all. */
  retainBlocks: number;
}

/** The parts of a run that faults can break, with what is left to do when it ends. */
export interface SetUnderTest {
  /** URL of the gateway. */
  url: string;
  /** The faults of the service and of its servers. */
  faults: Fault[];
  trial: Trial | undefined;
  /** Kills every process that reads or indexes; they are started again. */
  killIndexing(): Promise<void>;
  /** Ends what a fault may have left: resumes what is suspended and admits what is refused. */
  calm(): Promise<void>;
  /** Makes visible to queries what the store has, but has not shown yet; undefined where it shows everything at once. */
  showStored: (() => Promise<void>) | undefined;
  /** Whether a block is removed as soon as it need not be kept; otherwise later. */
  removesEachBlock: boolean;
  /** Processes that ended so often that they are no longer started, with their errors: the service cannot recover from that. */
  givenUp: readonly string[];
  /** What the processes logged, for a failed seed; removed with `stop`. */
  logFolder: string;
  stop(): Promise<void>;
}
