import type { ErrorRequestHandler, Response } from 'express';
import { clientErrorOf, HistoryError } from '@antelope-history/schemas';
import { LineLimit } from '../line-limit';
import type { Logger } from '../logger';
import { toErrorResponse } from './error-body';
import { endpointOf, requestIdOf } from './request-context';

/** The value of `Retry-After` where the refusal names no time: in responses with status 503, and with 429 for what a client has open. */
const RETRY_AFTER_SECONDS = 5;
const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** The Express error handler: every error becomes its response here. */
export function handleErrors(log: Logger): ErrorRequestHandler {
  const lines = new LineLimit(log);
  return (thrown: unknown, _request, response, _next) => {
    const error = toHistoryError(thrown);
    const { status } = clientErrorOf(error);
    // What this service does not have is no failure of it.
    if (status >= 500 && status !== 501) logFailure(lines, response, error);
    sendError(response, error);
  };
}

/** A request above the limits is refused as it should be. Such refusals have a metric, too. */
function logFailure(lines: LineLimit, response: Response, error: HistoryError): void {
  const requestId = requestIdOf(response);
  const { code, message } = error;
  if (code === 'BUSY') lines.write('warn', code, { requestId, code }, `request refused: ${message}`);
  else lines.write('error', code, { requestId, error }, 'request failed');
}

function toHistoryError(thrown: unknown): HistoryError {
  if (thrown instanceof HistoryError) return thrown;
  // Express throws it for a path that it cannot decode, such as "%ZZ".
  if (thrown instanceof URIError)
    return new HistoryError('UNKNOWN_PATH', 'this path does not exist', { cause: thrown });
  return new HistoryError('INTERNAL', 'unexpected', { cause: thrown });
}

export function sendError(response: Response, error: HistoryError): void {
  if (response.headersSent) {
    // A reset connection shows the client that the response is incomplete.
    response.destroy();
    return;
  }
  const { status } = clientErrorOf(error);
  if (RETRIED.has(status) && !response.hasHeader('retry-after')) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
  response.status(status).json(toErrorResponse(error, endpointOf(response)));
}
