import { DecodeAllowance } from '@antelope-history/abi';
import { JsonFragment, stringifyJson } from '@antelope-history/json';

/** What one response may take. */
export interface ResponseLimits {
  /** Bytes of its JSON, counted after escaping. */
  bytes: number;
  /** Decoding, in the units of `DecodeLimits.maxOutput`: at most about 12 ns each. */
  work: number;
  /** Compiling ABIs, in the same units. */
  abiWork: number;
  /** Memory of the compiled ABIs that it uses at once. */
  abiMemoryBytes: number;
}

export const RESPONSE_LIMITS: ResponseLimits = {
  bytes: 32 * 1024 * 1024,
  work: 32 * 1024 * 1024,
  abiWork: 16 * 1024 * 1024,
  abiMemoryBytes: 64 * 1024 * 1024,
};

/** The fields of a response around what is printed part by part. */
const FRAME_BYTES = 4096;
/** Printing part by part costs time: parts are counted by their bounds as long as all of them together take this. */
const SMALL_BYTES = 2 * 1024 * 1024;
const LONG_BYTES = 16 * 1024;
/** Bytes and units of work. */
const PAUSE_AFTER = 32 * 1024;

/**
 * What is left for a response. Its large parts are printed one by one, each counted as it is and only kept when it fits,
 * so that no contract's data makes a response larger, slower or more costly than the limits.
 */
export class ResponseBudget {
  readonly decoding: DecodeAllowance;
  private bytesLeft: number;
  private abiWorkLeft: number;
  private abiMemoryLeft: number;
  private pausedAt = 0;

  constructor(private readonly limits: ResponseLimits = RESPONSE_LIMITS) {
    this.decoding = new DecodeAllowance(limits.work);
    this.bytesLeft = limits.bytes - FRAME_BYTES;
    this.abiWorkLeft = limits.abiWork;
    this.abiMemoryLeft = limits.abiMemoryBytes;
  }

  /** Units that decoding and compiling took so far. */
  get work(): number {
    return this.decoding.spent + this.limits.abiWork - this.abiWorkLeft;
  }

  /** Bytes that were taken so far. */
  get bytes(): number {
    return this.limits.bytes - this.bytesLeft;
  }

  /** Whether enough was made since it was last asked that others may want their turn: less than a millisecond's work. */
  isPauseDue(): boolean {
    const made = this.bytes + this.decoding.spent;
    if (made - this.pausedAt < PAUSE_AFTER) return false;
    this.pausedAt = made;
    return true;
  }

  /** Half of all bytes: the most that is kept back for parts that follow. */
  get half(): number {
    return this.limits.bytes / 2;
  }

  /** Whether `bytes` can be taken while `reserved` stay. */
  hasRoom(bytes: number, reserved = 0): boolean {
    return bytes + reserved <= this.bytesLeft;
  }

  /** Takes bytes that have to be given in any case: the chain's own limits bound them. */
  take(bytes: number): void {
    this.bytesLeft -= bytes;
  }

  /** Takes the compiling and the memory of an ABI; false when it does not fit, and nothing that follows may. */
  takeAbi({ memoryBytes, work }: { memoryBytes: number; work: number }): boolean {
    if (memoryBytes > this.abiMemoryLeft || work > this.abiWorkLeft) return false;
    this.abiWorkLeft -= work;
    this.abiMemoryLeft -= memoryBytes;
    return true;
  }

  /** What several parts show: printed once when it is long. It is counted with each of them. */
  share<T>(value: T, decodedBytes: number): T {
    return value !== undefined && decodedBytes > LONG_BYTES ? printed(value).fragment : value;
  }

  /**
   * Takes a part of at most `mostBytes`; undefined, and nothing is taken, unless `reserved` bytes stay. It is printed to
   * be counted exactly, except in a small response.
   */
  takePart<T>(value: T, mostBytes: number, reserved = 0): T | undefined {
    if (this.bytes + mostBytes <= SMALL_BYTES && this.hasRoom(mostBytes, reserved)) {
      this.take(mostBytes);
      return value;
    }
    const { fragment, bytes } = printed(value);
    if (!this.hasRoom(bytes, reserved)) return undefined;
    this.take(bytes);
    return fragment;
  }

  /** Takes a part that has to be given in any case. */
  takeAnyway<T>(value: T): T {
    const { fragment, bytes } = printed(value);
    this.take(bytes);
    return fragment;
  }
}

/** A part as its text, which prints as the part and may take its place in a response, and its bytes with a comma. */
function printed<T>(value: T): { fragment: T; bytes: number } {
  const text = stringifyJson(value);
  return { fragment: new JsonFragment<T>(text) as unknown as T, bytes: Buffer.byteLength(text) + 1 };
}
