import { HistoryError } from '@antelope-history/schemas';

/** Limits of one decoding. Data that exceeds a limit is shown as hex, like data that the node cannot decode. */
export interface DecodeLimits {
  /** Scopes of the node's decoder: a struct takes two; an array, optional or variant one (limit in abi_serializer.hpp: 32). */
  maxDepth: number;
  /** Elements of all arrays of the value together (fc::raw accepts 1,048,576 per array). */
  maxElements: number;
  /**
   * Approximate length of the JSON text, with a surcharge for values that take long to print. This limit replaces the
   * node's time limit, so that the same bytes always decode to the same value. 4 Mi keeps a decoding below about 50 ms.
   */
  maxOutput: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxDepth: 32, maxElements: 1 << 20, maxOutput: 4 << 20 };

/**
 * The common allowance of all decodings of one request, in the units of `DecodeLimits.maxOutput`. Data that does not fit
 * is not decoded, and `exceeded` is set.
 */
export class DecodeAllowance {
  /** Whether data was left undecoded that would decode with a larger allowance. */
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

  /** Subtracts the units that a decoding spent. The decoding's `DecodeBudget` keeps them within `left`. */
  settle(units: number): void {
    this.units = Math.max(0, this.units - units);
  }
}

/** The state of one decoding: the rest of its limits, the current scope and the path of a failure. */
export class DecodeBudget {
  /** Scope of the current value. */
  depth = 0;
  /** Path of a failure, innermost step first: field names, array indices and variant types. */
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

  /** Enters the scope `depth`. No method leaves a scope: each caller computes the scopes of its members itself. */
  descend(depth: number): void {
    if (depth >= this.maxDepth) throw exceeded(`it nests deeper than ${this.maxDepth} scopes`);
    this.depth = depth;
  }

  /** Subtracts `characters` from the rest of the output limit. */
  spend(characters: number): void {
    this.output -= characters;
    if (this.output < 0) throw exceeded('its JSON is too long');
  }

  /** Whether the output exceeded its limit. */
  get isOverdrawn(): boolean {
    return this.output < 0;
  }

  /** The output spent so far, at most the limit. */
  get spent(): number {
    return this.maxOutput - Math.max(0, this.output);
  }

  /** Subtracts `size` array elements. */
  takeElements(size: number): void {
    this.elements -= size;
    if (this.elements < 0) throw exceeded('it has too many array elements');
  }
}

function exceeded(reason: string): HistoryError {
  return new HistoryError('DECODE_FAILED', `decode limit exceeded: ${reason}`);
}
