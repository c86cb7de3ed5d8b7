/**
 * Every error this project raises, by its readable code. Two families: `retry` (the same call may succeed later) and
 * `final` (it never will until somebody changes something). `docs/errors.md` has one row per code; a test compares.
 *
 * `status`, `nodeCode` and `nodeName` are what an HTTP client sees when the error ends a request: the node's own
 * code and name where the node has one, else 0 and ours.
 */
export interface ErrorDefinition {
  family: 'retry' | 'final';
  status: number;
  nodeCode: number;
  nodeName: string;
  /** One sentence that stands in the `what` field of the answer. */
  what: string;
  /** Stands in the `message` field where the node says something else than the HTTP status's own phrase. */
  message?: string;
}

const final = (status: number, nodeCode: number, nodeName: string, what: string): ErrorDefinition => ({
  family: 'final',
  status,
  nodeCode,
  nodeName,
  what,
});
const retry = (status: number, nodeCode: number, nodeName: string, what: string): ErrorDefinition => ({
  family: 'retry',
  status,
  nodeCode,
  nodeName,
  what,
});

export const ERRORS = {
  // Requests
  INVALID_REQUEST: final(400, 3200006, 'invalid_http_request', 'The request body is not what this endpoint takes'),
  BODY_TOO_LARGE: final(413, 0, 'body_too_large', 'The request body is larger than the limit'),
  HEADERS_TOO_LARGE: final(431, 0, 'headers_too_large', 'The request headers are larger than the limit'),
  REQUEST_TIMEOUT: final(408, 0, 'request_timeout', 'The request did not arrive in time'),
  UNAUTHORIZED: final(401, 0, 'unauthorized', 'The API key is missing or not known'),
  METHOD_NOT_ALLOWED: final(405, 0, 'method_not_allowed', 'This path takes another method'),
  UNKNOWN_PATH: final(404, 0, 'unknown_path', 'Unknown path'),
  INVALID_NAME: final(400, 3010001, 'name_type_exception', 'Invalid name'),
  INVALID_PUBLIC_KEY: final(400, 3010002, 'public_key_type_exception', 'Invalid public key'),
  INVALID_BLOCK_ID: final(400, 3010008, 'block_id_type_exception', 'Invalid block number or ID'),
  INVALID_TRANSACTION_ID: final(400, 3010009, 'transaction_id_type_exception', 'Invalid transaction ID'),
  AMBIGUOUS_TRANSACTION_ID: final(
    400,
    3010009,
    'transaction_id_type_exception',
    'The prefix names several transactions',
  ),
  ASC_UNBOUNDED: final(400, 0, 'asc_unbounded', 'Ascending order needs a bound'),
  ASC_WINDOW_EXCEEDED: final(400, 0, 'asc_window_exceeded', 'The bound is older than the ascending window'),
  TRANSACTION_NOT_FOUND: final(404, 3040011, 'tx_not_found', 'The transaction can not be found'),
  UNKNOWN_BLOCK: { ...final(400, 3100002, 'unknown_block_exception', 'Unknown block'), message: 'Unknown Block' },
  BLOCK_TRACE_MISSING: final(404, 0, 'block_trace_missing', 'Block trace missing'),
  CLIENT_LEFT: final(499, 0, 'client_left', 'The client closed the connection before its response was made'),
  RATE_LIMITED: retry(429, 0, 'rate_limited', 'Too many requests'),
  BUSY: retry(503, 0, 'busy', 'The service has more requests than it takes at once'),
  UNAVAILABLE: retry(503, 0, 'unavailable', 'The service can not answer right now'),
  INTERNAL: final(500, 0, 'internal', 'Internal error'),

  // Configuration and data directory
  CONFIG_INVALID: final(500, 0, 'config_invalid', 'The configuration is wrong'),
  STORE_FORMAT_MISMATCH: final(500, 0, 'store_format_mismatch', 'The data was written by another format version'),
  CHAIN_ID_MISMATCH: final(500, 0, 'chain_id_mismatch', 'The data or the node belongs to another chain'),
  STORE_IN_USE: final(500, 0, 'store_in_use', 'Another process writes to the data directory'),
  STORE_REFUSED: final(500, 0, 'store_refused', 'The store refused a request'),

  // Servers
  ACCESS_REFUSED: final(503, 0, 'unavailable', 'A server refuses the user, the password or a permission'),
  CERTIFICATE_REFUSED: final(503, 0, 'unavailable', "A server's certificate is not trusted"),

  // Binary data from chains and contracts
  DECODE_FAILED: final(500, 0, 'decode_failed', 'The bytes do not decode as their type says'),
  ABI_INVALID: final(500, 0, 'abi_invalid', 'The ABI is not valid'),

  // SHiP and the stages
  SHIP_DISCONNECTED: retry(503, 0, 'ship_disconnected', 'The state history socket is away'),
  SHIP_MESSAGE_CORRUPT: retry(503, 0, 'ship_message_corrupt', 'A state history message does not decode'),
  SHIP_UNSUPPORTED: final(500, 0, 'ship_unsupported', 'The node speaks a state history protocol that is not supported'),
  SHIP_DATA_MISSING: final(500, 0, 'ship_data_missing', 'The node does not keep a part of the history that is needed'),
  SHIP_MESSAGE_TOO_LARGE: final(500, 0, 'ship_message_too_large', 'A state history message is larger than the limit'),
  FORK_TOO_DEEP: final(500, 0, 'fork_too_deep', 'The node contradicts a block that it called irreversible'),
  BLOCK_GAP: retry(503, 0, 'block_gap', 'A block does not follow the committed head'),
  BLOCK_REFUSED: final(500, 0, 'block_refused', 'The store refuses a document of a block'),
  STORE_UNAVAILABLE: retry(503, 0, 'unavailable', 'The store can not be reached'),
  BROKER_UNAVAILABLE: retry(503, 0, 'unavailable', 'The broker can not be reached'),
  BROKER_QUEUE_MISMATCH: final(503, 0, 'unavailable', 'A queue of the broker was made with other bounds'),
  MESSAGE_INCOMPLETE: retry(503, 0, 'message_incomplete', 'A message of the broker lacks parts'),
  MESSAGE_GIVEN_UP: retry(503, 0, 'message_given_up', 'The broker gave a message up'),
  KEY_VALUE_UNAVAILABLE: retry(503, 0, 'unavailable', 'The key-value store can not be reached'),
  STOPPED: retry(503, 0, 'unavailable', 'The service is stopping'),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * The one error class. `detail` says what happened and, for a client's or operator's mistake, what to change;
 * it may be shown to clients for codes below 500, so it never holds hosts, queries or other systems' texts.
 */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.code = code;
  }

  get definition(): ErrorDefinition {
    return ERRORS[this.code];
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.definition.family === 'retry';
  }
}

/** Whether `error` is one of ours with the given code. */
export function hasErrorCode(error: unknown, code: ErrorCode): error is HistoryError {
  return error instanceof HistoryError && error.code === code;
}
