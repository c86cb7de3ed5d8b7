import type { Request, RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/**
 * Reads the whole body without its transfer coding but with its content coding: the gateway forwards it with a Content-Length.
 * A body above the limit is read to its end and discarded, because a client that is still sending would miss an earlier
 * response.
 */
export function readRawBody(limitBytes: number): RequestHandler {
  return (request, _response, next) => {
    const body = new GrowingBuffer(limitBytes);
    request.on('data', (chunk: Buffer) => body.append(chunk));
    request.once('end', () => {
      request.body = body.bytes;
      next(body.isTooLarge ? new HistoryError('BODY_TOO_LARGE', `send at most ${limitBytes} bytes`) : undefined);
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
  isTooLarge = false;
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(private readonly limit: number) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  append(chunk: Buffer): void {
    if (this.isTooLarge || this.length + chunk.length > this.limit) return this.drop();
    this.reserve(this.length + chunk.length);
    chunk.copy(this.buffer, this.length);
    this.length += chunk.length;
  }

  private drop(): void {
    this.isTooLarge = true;
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
