/** A number, or a random number from min to max, both included, for each use. */
export type Drawn = number | { min: number; max: number };

/** Injected faults. The same seed and the same traffic cause the same faults. */
export interface ReplayFaults {
  seed?: number;
  /** Each connection is cut, without a close frame, after this many results. */
  dropAfter?: Drawn;
  /** Milliseconds of silence after each result of a connection. */
  delayMs?: Drawn;
  /** Results that are truncated, counted from 1 over all connections. */
  truncate?: readonly number[];
  /** Results in which one byte is inverted: at `offset`, else anywhere. */
  corrupt?: readonly { result: number; offset?: number }[];
  /** Another chain id for the status (64 hex digits). */
  chainId?: string;
}

/** Applies faults to results as they are sent. */
export class FaultInjector {
  private readonly random: () => number;
  private results = 0;

  constructor(private readonly plan: ReplayFaults) {
    this.random = seededRandom(plan.seed ?? 1);
  }

  get chainId(): string | undefined {
    return this.plan.chainId;
  }

  /** Number of results after which a new connection is cut. */
  drawDropAfter(): number {
    return this.draw(this.plan.dropAfter, Infinity);
  }

  drawDelayMs(): number {
    return this.draw(this.plan.delayMs, 0);
  }

  /** The pieces of the next result as they are sent: mutated or unchanged. */
  mutate(pieces: Buffer[]): Buffer[] {
    const result = ++this.results;
    const corruption = this.plan.corrupt?.find((entry) => entry.result === result);
    const truncated = this.plan.truncate?.includes(result) ?? false;
    if (!corruption && !truncated) return pieces;
    const bytes = Buffer.concat(pieces);
    if (corruption) {
      const offset = Math.min(corruption.offset ?? this.between(0, bytes.length - 1), bytes.length - 1);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ 0xff, offset);
    }
    return [truncated ? bytes.subarray(0, this.between(1, bytes.length - 1)) : bytes];
  }

  private draw(drawn: Drawn | undefined, otherwise: number): number {
    if (drawn === undefined) return otherwise;
    return typeof drawn === 'number' ? drawn : this.between(drawn.min, drawn.max);
  }

  private between(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }
}

/** mulberry32: 32 bits of state are enough to scatter faults. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
