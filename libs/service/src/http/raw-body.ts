import type { Request, RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/**
 * Reads the whole body as it is on the wire, without its transfer coding: a proxy forwards it with a length of its own. A
 * body above the limit is read to its end and dropped, because a client that still sends would miss an earlier response.
 */
export function readRawBody(limitBytes: number): RequestHandler {
  return (request, _response, next) => {
    const body = new GrowingBuffer(limitBytes);
    request.on('data', (chunk: Buffer) => body.append(chunk));
    request.once('end', () => {
      request.body = body.bytes;
      next(body.isTooLarge ? new HistoryError('BODY_TOO_LARGE', `send at most ${limitBytes} bytes`) : undefined);
    });
    // Nobody is left to respond to: the connection broke, or the framing was wrong and `listen` refuses it.
    request.once('error', () => undefined);
  };
}

/** What `readRawBody` read. */
export function rawBodyOf(request: Request): Buffer {
  return request.body as Buffer;
}

/**
 * Copies chunks into one buffer. A list of chunks would hold a hundred times the body's size for a body that is sent in
 * chunks of one byte.
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
    // Most bodies come in one chunk, for which there is just room; a larger one gets twice the room each time.
    const grown = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, this.buffer.length * 2)));
    this.bytes.copy(grown);
    this.buffer = grown;
  }
}
