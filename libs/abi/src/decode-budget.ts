import { HistoryError } from '@antelope-history/schemas';

/** How much one decoding may take; what exceeds it is shown as hex, like all that the node cannot decode. */
export interface DecodeLimits {
  /** Scopes of the node's decoder: a struct takes two, an array, optional or variant one (abi_serializer.hpp: 32). */
  maxDepth: number;
  /** Array elements over all arrays of the value (fc::raw takes 1,048,576 per array). */
  maxElements: number;
  /**
   * Characters of JSON, roughly, with a surcharge for what takes long to print. In place of the node's time limit:
   * the same bytes always decode the same, and 4 Mi keeps a decoding below 50 ms or so.
   */
  maxOutput: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxDepth: 32, maxElements: 1 << 20, maxOutput: 4 << 20 };

/**
 * What the decodings of one request may take together, in the units of `DecodeLimits.maxOutput`. What does not fit is
 * not decoded, and `exceeded` says so.
 */
export class DecodeAllowance {
  /** Whether anything was left undecoded that a larger allowance would have decoded. */
  exceeded = false;
  private units: number;

  constructor(readonly total: number) {
    this.units = total;
  }

  get left(): number {
    return this.units;
  }

  get spent(): number {
    return this.total - this.units;
  }

  /** Takes what a decoding spent, which its budget has kept within what was left. */
  settle(units: number): void {
    this.units = Math.max(0, this.units - units);
  }
}

/** What is left of the limits during one decoding, and where it is. */
export class DecodeBudget {
  /** The scope of the value being decoded. */
  depth = 0;
  /** Where a failure happened, innermost first: field names, array indices and variant types. */
  readonly path: (string | number)[] = [];
  private readonly maxDepth: number;
  private elements: number;
  private output: number;

  constructor(
    limits: DecodeLimits,
    private readonly maxOutput = limits.maxOutput,
  ) {
    this.maxDepth = limits.maxDepth;
    this.elements = limits.maxElements;
    this.output = maxOutput;
  }

  /** Enters the scope `depth`; the caller, which knows its own, need not come back. */
  descend(depth: number): void {
    if (depth >= this.maxDepth) throw exceeded(`it nests deeper than ${this.maxDepth} scopes`);
    this.depth = depth;
  }

  /** Takes `characters` of the output. */
  spend(characters: number): void {
    this.output -= characters;
    if (this.output < 0) throw exceeded('its JSON is too long');
  }

  /** Whether the output was more than the limit. */
  get isOverdrawn(): boolean {
    return this.output < 0;
  }

  /** What was taken of the output, at most the limit. */
  get spent(): number {
    return this.maxOutput - Math.max(0, this.output);
  }

  /** Takes an array of `size` elements. */
  takeElements(size: number): void {
    this.elements -= size;
    if (this.elements < 0) throw exceeded('it has too many array elements');
  }
}

function exceeded(reason: string): HistoryError {
  return new HistoryError('DECODE_FAILED', `${reason}, more than is decoded`);
}
