/** Progress of indexing, as it is shown. */
export interface Progress {
  /** The first block that is indexed. */
  firstBlock: number;
  block: number;
  /** The block to reach; undefined while the source has not named it. */
  target: number | undefined;
  blocksPerSecond: number;
  actionsPerSecond: number;
  /** Undefined without a target, and at a rate of 0. */
  secondsLeft: number | undefined;
}

interface Sample {
  atMs: number;
  block: number;
  blocks: number;
  actions: number;
}

/** What is to be reached. */
interface Extent {
  firstBlock: number;
  target: number | undefined;
}

/** Rates are averages over this window: blocks differ in size along a chain. */
const WINDOW_MS = 10_000;

export class ProgressMeter {
  private readonly samples: Sample[] = [];

  /** Adds a sample: the committed block and the counts of blocks and actions since the start. */
  measure(sample: Sample, { firstBlock, target }: Extent): Progress {
    this.samples.push(sample);
    while (sample.atMs - (this.samples[1]?.atMs ?? sample.atMs) > WINDOW_MS) this.samples.shift();
    const first = this.samples[0] ?? sample;
    const seconds = (sample.atMs - first.atMs) / 1000;
    const rate = (count: number): number => (seconds > 0 ? count / seconds : 0);
    const blocksPerSecond = rate(sample.blocks - first.blocks);
    const missing = target === undefined ? undefined : Math.max(0, target - sample.block);
    return {
      firstBlock,
      block: sample.block,
      // The node's head is read more seldom than the committed block, and that of a replay is the one of its time.
      target: target === undefined ? undefined : Math.max(target, sample.block),
      blocksPerSecond,
      actionsPerSecond: rate(sample.actions - first.actions),
      secondsLeft: missing === undefined || blocksPerSecond === 0 ? undefined : missing / blocksPerSecond,
    };
  }
}
