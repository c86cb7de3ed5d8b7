import express, { type Request, type RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/**
 * Reads the body as a JSON object whatever its content type says (eosjs and wharfkit send text/plain, `curl -d` sends
 * form-urlencoded). gzip, deflate and br bodies are taken; the limit holds for what they unpack to. A body above it is
 * read to its end and thrown away: clients and proxies that are still sending would miss an earlier answer.
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

/** What `readJsonBody` read. */
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

/** `type` of an error: see the package body-parser. */
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
