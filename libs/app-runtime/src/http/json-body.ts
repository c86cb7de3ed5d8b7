import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';
import { rawBodyOf, readRawBody } from './raw-body';

/**
 * Parses the body as a JSON object regardless of its content type (eosjs and wharfkit send text/plain, `curl -d` sends
 * form-urlencoded). Accepts gzip, deflate and br; `limitBytes` applies to the uncompressed body. A larger body is read to its
 * end and discarded: clients and proxies that are still sending would miss an earlier response.
 */
export function readJsonBody(limitBytes: number): RequestHandler {
  const readBytes = readRawBody(limitBytes);
  return (request, response, next) => {
    void readBytes(request, response, (error?: unknown) => {
      if (error) return next(error);
      try {
        request.body = parseJsonBody(rawBodyOf(request), request.headers['content-encoding'], limitBytes);
      } catch (failure) {
        return next(failure);
      }
      return next();
    });
  };
}

/** The body that `readJsonBody` parsed. */
export function jsonBodyOf(request: Request): Record<string, unknown> {
  return request.body as Record<string, unknown>;
}

/**
 * Parses the bytes of a body with their content coding. An empty body is an empty object, whatever its coding. Throws
 * `INVALID_REQUEST`, and `BODY_TOO_LARGE` if more than `limitBytes` remain when it is uncompressed.
 */
export function parseJsonBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  limitBytes: number,
): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const text = toText(uncompress(bytes, contentEncoding?.trim().toLowerCase(), limitBytes));
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new HistoryError('INVALID_REQUEST', 'the body must be a JSON object');
}

/** Another name of gzip (RFC 9110, 8.4.1.3). */
const X_GZIP = 'x-gzip';

/** Synchronous: at most `limitBytes` come in and out, which takes less time than a round trip to a thread. */
function uncompress(bytes: Buffer, coding: string | undefined, limitBytes: number): Buffer {
  const options = { maxOutputLength: limitBytes };
  try {
    switch (coding) {
      case undefined:
      case '':
      case 'identity':
        return bytes;
      case 'gzip':
      case X_GZIP:
        return gunzipSync(bytes, options);
      case 'deflate':
        return inflateSync(bytes, options);
      case 'br':
        requireUsualWindow(bytes);
        return brotliDecompressSync(bytes, options);
    }
  } catch (cause) {
    if (cause instanceof HistoryError) throw cause;
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new HistoryError('BODY_TOO_LARGE', `send at most ${limitBytes} bytes`, { cause });
    const expected = `content-encoding: send a body that is ${coding}, or leave the header out`;
    throw new HistoryError('INVALID_REQUEST', expected, { cause });
  }
  throw new HistoryError('INVALID_REQUEST', 'content-encoding: send gzip, deflate, br or none');
}

/**
 * Refuses brotli with a larger window than encoders use by default: the decoder fills the window before it returns any bytes, 16 MB for
 * a body of 53 bytes. The first byte has the size (RFC 7932, 9.1): 17 bits and the number in three bits, unless the bit below is 0.
 */
function requireUsualWindow([first = 0]: Buffer): void {
  const windowBits = first & 1 ? 17 + ((first >> 1) & 7) : 16;
  if (windowBits > MAX_WINDOW_BITS)
    throw new HistoryError(
      'INVALID_REQUEST',
      `content-encoding: send brotli with a window of at most ${MAX_WINDOW_BITS} bits`,
    );
}

const MAX_WINDOW_BITS = 22;

/** Checks that the bytes are UTF-8, which `Buffer.toString` does not, and removes a byte order mark. */
function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notJson(new TypeError('the bytes are not UTF-8'));
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

const BYTE_ORDER_MARK = '\ufeff';

function notJson(cause: unknown): HistoryError {
  return new HistoryError('INVALID_REQUEST', 'the body is not JSON in UTF-8: send one JSON object', { cause });
}
