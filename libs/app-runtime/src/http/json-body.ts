import express, { type Request, type RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/**
 * Parses the body as a JSON object regardless of its content type (eosjs and wharfkit send text/plain, `curl -d` sends
 * form-urlencoded). Accepts gzip, deflate and br; `limitBytes` applies to the uncompressed body. A larger body is read to its
 * end and discarded: clients and proxies that are still sending would miss an earlier response.
 */
export function readJsonBody(limitBytes: number): RequestHandler {
  const readBytes: RequestHandler = express.raw({ type: () => true, limit: limitBytes });
  return (request, response, next) => {
    readBytes(request, response, (cause?: unknown) => {
      if (cause) return next(toBodyError(cause, limitBytes));
      try {
        request.body = parseJsonObject(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      } catch (error) {
        return next(error);
      }
      return next();
    });
  };
}

/** The body that `readJsonBody` parsed. */
export function jsonBodyOf(request: Request): Record<string, unknown> {
  return request.body as Record<string, unknown>;
}

function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new HistoryError('INVALID_REQUEST', 'the body is not JSON in UTF-8', { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new HistoryError('INVALID_REQUEST', 'the body must be a JSON object');
}

/** The package body-parser documents the values of an error's `type`. */
function toBodyError(cause: unknown, limitBytes: number): HistoryError {
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new HistoryError('BODY_TOO_LARGE', `send at most ${limitBytes} bytes`, { cause });
    case 'encoding.unsupported':
      return new HistoryError('INVALID_REQUEST', 'content-encoding: send gzip, deflate, br or none', { cause });
    default:
      return new HistoryError('INVALID_REQUEST', 'the body does not arrive as its headers say', { cause });
  }
}
