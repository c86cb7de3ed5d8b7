import { DecodeAllowance } from '@antelope-history/abi';

/** Limits of one response. */
export interface ResponseLimits {
  /** Bytes of JSON, after escaping. */
  bytes: number;
  /** Decoding work, in units of `DecodeLimits.maxOutput`; a unit takes at most about 12 ns. */
  work: number;
  /** Work of compiling ABIs, in the same units. */
  abiWork: number;
  /** Memory of the compiled ABIs in use. */
  abiMemoryBytes: number;
}

export const RESPONSE_LIMITS: ResponseLimits = {
  bytes: 32 * 1024 * 1024,
  work: 32 * 1024 * 1024,
  abiWork: 16 * 1024 * 1024,
  abiMemoryBytes: 64 * 1024 * 1024,
};

/** Bytes of the fields that are not printed part by part. */
const FRAME_BYTES = 4096;
/** Up to this size parts are counted by their upper bounds. */
const SMALL_BYTES = 2 * 1024 * 1024;
/** The size of a shared text above this size is measured. */
const LONG_BYTES = 16 * 1024;
/** Sum of bytes and units of work after which a renderer yields: less than a millisecond of processor time. */
const PAUSE_AFTER = 32 * 1024;

/** Bounds of the JSON bytes of a value. */
export interface JsonSize {
  atLeast: number;
  atMost: number;
}

export const NO_SIZE: JsonSize = { atLeast: 0, atMost: 0 };

/**
 * The remaining budget of a response. In a large response each part is counted exactly and kept only if it
 * fits, so that no contract's data can make a response exceed the limits of size, time and memory.
 */
export class ResponseBudget {
  readonly decoding: DecodeAllowance;
  private bytesLeft: number;
  private abiWorkLeft: number;
  private abiMemoryLeft: number;
  private pausedAt = 0;
  /** Bytes that were written only to find that they do not fit. */
  private refusedBytes = 0;

  constructor(private readonly limits: ResponseLimits = RESPONSE_LIMITS) {
    this.decoding = new DecodeAllowance(limits.work);
    this.bytesLeft = limits.bytes - FRAME_BYTES;
    this.abiWorkLeft = limits.abiWork;
    this.abiMemoryLeft = limits.abiMemoryBytes;
  }

  /** Units of work that decoding and compiling have taken. */
  get work(): number {
    return this.decoding.spent + this.limits.abiWork - this.abiWorkLeft;
  }

  /** Bytes that have been taken. */
  get bytes(): number {
    return this.limits.bytes - this.bytesLeft;
  }

  /** Whether the renderer should yield: true once per `PAUSE_AFTER` of output and work. */
  isPauseDue(): boolean {
    const made = this.bytes + this.decoding.spent + this.refusedBytes;
    if (made - this.pausedAt < PAUSE_AFTER) return false;
    this.pausedAt = made;
    return true;
  }

  /** Half of the byte limit: the largest reserve for following parts. */
  get half(): number {
    return this.limits.bytes / 2;
  }

  /** Whether `bytes` fit while `reserved` bytes stay free. */
  hasRoom(bytes: number, reserved = 0): boolean {
    return bytes + reserved <= this.bytesLeft;
  }

  /** Takes bytes of fields that cannot be left out; the chain's own limits bound their size. */
  take(bytes: number): void {
    this.bytesLeft -= bytes;
  }

  /** Takes the work and memory of an ABI; returns false, and takes nothing, if they do not fit. */
  takeAbi({ memoryBytes, work }: { memoryBytes: number; work: number }): boolean {
    if (memoryBytes > this.abiMemoryLeft || work > this.abiWorkLeft) return false;
    this.abiWorkLeft -= work;
    this.abiMemoryLeft -= memoryBytes;
    return true;
  }

  /** The size of a decoded value of `bytes` that several parts show, each of which counts it. */
  measureShared(bytes: number, decodedBytes: number): JsonSize {
    return { atLeast: decodedBytes > LONG_BYTES ? bytes + COMMA_BYTES : 0, atMost: decodedBytes };
  }

  /**
   * Takes a written part of `bytes`, at most `maxBytes`, if `reserved` bytes stay free; otherwise returns false and takes
   * nothing. In a small response, the part is counted as `maxBytes`.
   */
  takePart(bytes: number, maxBytes: number, reserved = 0): boolean {
    if (this.bytes + maxBytes <= SMALL_BYTES && this.hasRoom(maxBytes, reserved)) {
      this.take(maxBytes);
      return true;
    }
    const exact = bytes + COMMA_BYTES;
    if (!this.hasRoom(exact, reserved)) {
      this.refusedBytes += exact;
      return false;
    }
    this.take(exact);
    return true;
  }

  /** Takes a part of `bytes` that cannot be left out. */
  takeAnyway(bytes: number): void {
    this.take(bytes + COMMA_BYTES);
  }
}

/** Each part is followed by a comma. */
const COMMA_BYTES = 1;
