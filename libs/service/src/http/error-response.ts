import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { type ErrorResponse, HistoryError } from '@antelope-history/schemas';
import type { Logger } from '../logger';
import { endpointOf, requestIdOf } from './request-context';

/** How long a client should wait after `UNAVAILABLE` and its like. */
const RETRY_AFTER_SECONDS = 5;

/** The body that a client gets. The detail of errors of our own (500 and up) stays in the log. */
export function toErrorAnswer(error: HistoryError, endpoint: string): ErrorResponse {
  const { status, nodeCode, nodeName, what, message } = error.definition;
  const details = { message: status < 500 ? error.message : what, file: '', line_number: 0, method: endpoint };
  return {
    code: status,
    message: message ?? STATUS_CODES[status] ?? '',
    error: { code: nodeCode, name: nodeName, what, details: [details] },
  };
}

/** The one place where errors become answers. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const error = toHistoryError(thrown);
    if (error.definition.status >= 500) log.error({ requestId: requestIdOf(response), error }, 'request failed');
    sendError(response, error);
  };
}

function toHistoryError(thrown: unknown): HistoryError {
  if (thrown instanceof HistoryError) return thrown;
  // Express can't decode the path, as with "%ZZ".
  if (thrown instanceof URIError)
    return new HistoryError('UNKNOWN_PATH', 'this path does not exist', { cause: thrown });
  return new HistoryError('INTERNAL', 'unexpected', { cause: thrown });
}

export function sendError(response: Response, error: HistoryError): void {
  if (response.headersSent) {
    // The client must see that the answer is not whole.
    response.destroy();
    return;
  }
  const { status } = error.definition;
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
  response.status(status).json(toErrorAnswer(error, endpointOf(response)));
}
