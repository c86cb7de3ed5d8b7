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
/** Up to this size parts are counted by their upper bounds, which saves measuring each of them. */
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
 * The remaining budget of a response. In a large response each part, which is JSON text, is counted exactly and kept only if it
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

  /** The size of decoded text that several parts show, each of which counts it. */
  measureShared(text: string | undefined, decodedBytes: number): JsonSize {
    const isLong = text !== undefined && decodedBytes > LONG_BYTES;
    return { atLeast: isLong ? bytesOf(text) : 0, atMost: decodedBytes };
  }

  /**
   * Takes a part of at most `maxBytes` if `reserved` bytes stay free; otherwise returns undefined and takes nothing. Except
   * in a small response, the part is counted exactly.
   */
  takePart(text: string, maxBytes: number, reserved = 0): string | undefined {
    if (this.bytes + maxBytes <= SMALL_BYTES && this.hasRoom(maxBytes, reserved)) {
      this.take(maxBytes);
      return text;
    }
    const bytes = bytesOf(text);
    if (!this.hasRoom(bytes, reserved)) {
      this.refusedBytes += bytes;
      return undefined;
    }
    this.take(bytes);
    return text;
  }

  /** Takes a part that cannot be left out. */
  takeAnyway(text: string): string {
    this.take(bytesOf(text));
    return text;
  }
}

/** The size of a part in bytes, with a comma. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}
