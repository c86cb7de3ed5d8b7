import type { Request, RequestHandler, Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/** The bodies above the usual limit that may be read, too. */
export interface LargeBodies {
  limitBytes: number;
  /** Called when a body exceeds the usual limit. Returns the error with which it is refused; undefined when it may be read. */
  admit(response: Response, body: BodyInProgress): HistoryError | undefined;
}

/** A body that is being read. */
export interface BodyInProgress {
  /** The bytes that have arrived. */
  readonly received: number;
  /** Discards the body; its request fails with this error when it has arrived. */
  refuse(error: HistoryError): void;
}

/**
 * Reads the whole body without its transfer coding but with its content coding: the gateway forwards it with a Content-Length.
 * A body above the limit is read to its end and discarded, because a client that is still sending would miss an earlier
 * response.
 */
export function readRawBody(limitBytes: number, large?: LargeBodies): RequestHandler {
  return (request, response, next) => {
    const body = new GrowingBuffer(
      limitBytes,
      large && { ...large, admit: (reading) => large.admit(response, reading) },
    );
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
class GrowingBuffer implements BodyInProgress {
  received = 0;
  /** Why the body is discarded; undefined while it is not. */
  refusal: HistoryError | undefined;
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(
    private limit: number,
    private readonly large: { limitBytes: number; admit(body: BodyInProgress): HistoryError | undefined } | undefined,
  ) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  append(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received > this.limit) this.raiseLimit();
    if (this.received > this.limit)
      this.refuse(this.refusal ?? new HistoryError('BODY_TOO_LARGE', `send at most ${this.limit} bytes`));
    if (this.refusal) return;
    this.reserve(this.length + chunk.length);
    chunk.copy(this.buffer, this.length);
    this.length += chunk.length;
  }

  refuse(error: HistoryError): void {
    this.refusal = error;
    this.buffer = Buffer.alloc(0);
    this.length = 0;
  }

  private raiseLimit(): void {
    if (!this.large || this.limit >= this.large.limitBytes) return;
    this.limit = this.large.limitBytes;
    const refusal = this.large.admit(this);
    if (refusal) this.refuse(refusal);
  }

  private reserve(length: number): void {
    if (length <= this.buffer.length) return;
    // Most bodies arrive in one chunk and get a buffer of their size; the buffer of a longer body doubles each time.
    const grown = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, this.buffer.length * 2)));
    this.bytes.copy(grown);
    this.buffer = grown;
  }
}
