import type { Request, RequestHandler, Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/** The bodies above the usual limit that may be read, too. */
export interface LargeBodies {
  limitBytes: number;
  /** Called when a body exceeds the usual limit. Returns the error with which it is refused; undefined when it may be read. */
  admit(response: Response): HistoryError | undefined;
}

/**
 * Reads the whole body without its transfer coding but with its content coding: the gateway forwards it with a Content-Length.
 * A body above the limit is read to its end and discarded, because a client that is still sending would miss an earlier
 * response.
 */
export function readRawBody(limitBytes: number, large?: LargeBodies): RequestHandler {
  return (request, response, next) => {
    const body = new GrowingBuffer(limitBytes, large && { ...large, admit: () => large.admit(response) });
    request.on('data', (chunk: Buffer) => body.append(chunk));
    request.once('end', () => {
      request.body = body.bytes;
      next(body.refusal);
    });
    // No response is possible: the connection broke, or the framing was invalid and `listen` handles it.
    request.once('error', () => undefined);
  };
}

/** The body that `readRawBody` read. */
export function rawBodyOf(request: Request): Buffer {
  return request.body as Buffer;
}

/**
 * Copies chunks into one buffer. A list of chunks would take a hundred times the size of a body that is sent in chunks of one
 * byte.
 */
class GrowingBuffer {
  /** Why the body is discarded; undefined while it is not. */
  refusal: HistoryError | undefined;
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(
    private limit: number,
    private readonly large: { limitBytes: number; admit(): HistoryError | undefined } | undefined,
  ) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  append(chunk: Buffer): void {
    if (this.length + chunk.length > this.limit) this.raiseLimit();
    if (this.length + chunk.length > this.limit)
      this.refusal ??= new HistoryError('BODY_TOO_LARGE', `send at most ${this.limit} bytes`);
    if (this.refusal) return this.drop();
    this.reserve(this.length + chunk.length);
    chunk.copy(this.buffer, this.length);
    this.length += chunk.length;
  }

  private raiseLimit(): void {
    if (!this.large || this.limit >= this.large.limitBytes) return;
    this.refusal = this.large.admit();
    this.limit = this.large.limitBytes;
  }

  private drop(): void {
    this.buffer = Buffer.alloc(0);
    this.length = 0;
  }

  private reserve(length: number): void {
    if (length <= this.buffer.length) return;
    // Most bodies arrive in one chunk and get a buffer of their size; the buffer of a longer body doubles each time.
    const grown = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, this.buffer.length * 2)));
    this.bytes.copy(grown);
    this.buffer = grown;
  }
}
