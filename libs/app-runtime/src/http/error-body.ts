import { STATUS_CODES } from 'node:http';
import type { ErrorResponse } from '@antelope-history/schemas';
import { clientErrorOf, type HistoryError } from '@antelope-history/schemas/errors';

/** The response body for an error. With a status of 500 or above it omits the detail, which only the log contains. */
export function toErrorResponse(error: HistoryError, endpoint: string): ErrorResponse {
  const { status, nodeCode, nodeName, what, message } = clientErrorOf(error);
  const details = { message: status < 500 ? error.message : what, file: '', line_number: 0, method: endpoint };
  return {
    code: status,
    message: message ?? STATUS_CODES[status] ?? '',
    error: { code: nodeCode, name: nodeName, what, details: [details] },
  };
}
