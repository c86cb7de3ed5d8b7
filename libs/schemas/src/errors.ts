/** The caller's next step: after `retry` the same call can succeed later; after `final` it fails until something changes. */
export type ErrorFamily = 'retry' | 'final';

/** The fields of every error. */
export interface ErrorDefinition {
  family: ErrorFamily;
  /** One sentence that describes the error; the `what` field of a response. */
  what: string;
}

/** An error that can end an HTTP request, with the contents of its response. */
export interface ClientErrorDefinition extends ErrorDefinition {
  /** HTTP status, also the `code` field of the response body. */
  status: number;
  /** The error code of nodeos, 0 where nodeos has none. */
  nodeCode: number;
  /** The error name of nodeos, or a name of this project where nodeos has none. */
  nodeName: string;
  /** The `message` field of the response where nodeos sends something other than the phrase of the HTTP status. */
  message?: string;
}

type DefineClientError = (status: number, nodeCode: number, nodeName: string, what: string) => ClientErrorDefinition;

const final: DefineClientError = (status, nodeCode, nodeName, what) => ({
  family: 'final',
  status,
  nodeCode,
  nodeName,
  what,
});
const retry: DefineClientError = (status, nodeCode, nodeName, what) => ({
  family: 'retry',
  status,
  nodeCode,
  nodeName,
  what,
});

/**
 * Errors that can end an HTTP request. Every field is part of the responses, so that a changed text is a changed interface.
 * `docs/errors.md` has one row per code of this table and of `WORKER_ERRORS`; a test compares them.
 */
export const CLIENT_ERRORS = {
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
  UNKNOWN_ACCOUNT: {
    ...final(400, 3060002, 'account_query_exception', 'Account Query Exception'),
    message: 'Account lookup',
  },
  BLOCK_TRACE_MISSING: final(404, 0, 'block_trace_missing', 'Block trace missing'),
  CLIENT_LEFT: final(499, 0, 'client_left', 'The client closed the connection before its response was made'),
  BLOCKS_REMOVED: final(410, 0, 'blocks_removed', 'The service lacks the blocks that follow the cursor'),
  RATE_LIMITED: retry(429, 0, 'rate_limited', 'Too many requests'),
  BUSY: retry(503, 0, 'busy', 'The service has more requests than it takes at once'),
  UNAVAILABLE: retry(503, 0, 'unavailable', 'The service can not answer right now'),
  INTERNAL: final(500, 0, 'internal', 'Internal error'),

  // The store, the key-value store and their data
  STORE_UNAVAILABLE: retry(503, 0, 'unavailable', 'The store can not be reached'),
  STORE_REFUSED: final(500, 0, 'store_refused', 'The store refused a request'),
  STORE_FORMAT_MISMATCH: final(500, 0, 'store_format_mismatch', 'The data was written by another format version'),
  QUERY_TOO_BROAD: final(400, 3200006, 'invalid_http_request', 'The query would read too many actions'),
  TOO_MANY_ACCOUNTS: final(400, 0, 'too_many_accounts', 'More accounts match than a response has room for'),
  STATE_INCOMPLETE: final(501, 0, 'state_incomplete', 'The service does not have the whole state of the chain'),
  POSITIONS_NOT_STORED: final(501, 0, 'positions_not_stored', 'The store has no positions of traces'),
  KEY_VALUE_UNAVAILABLE: retry(503, 0, 'unavailable', 'The key-value store can not be reached'),
  ACCESS_REFUSED: final(503, 0, 'unavailable', 'A server refuses the user, the password or a permission'),
  CERTIFICATE_REFUSED: final(503, 0, 'unavailable', "A server's certificate is not trusted"),
  DECODE_FAILED: final(500, 0, 'decode_failed', 'The bytes do not decode as their type says'),
  STOPPED: retry(503, 0, 'unavailable', 'The service is stopping'),
} as const satisfies Record<string, ClientErrorDefinition>;

/**
 * Errors of the start, of the workers and of `check-config`. They appear in logs, health reasons and dead letters, never in
 * a response, so that they have no HTTP status.
 */
export const WORKER_ERRORS = {
  // Configuration and data
  CONFIG_INVALID: { family: 'final', what: 'The configuration is not valid' },
  CHAIN_ID_MISMATCH: { family: 'final', what: 'The data or the node belongs to another chain' },
  STORE_DAMAGED: { family: 'final', what: 'The data directory lost a commit' },
  STORE_IN_USE: { family: 'final', what: 'Another process writes to the data directory' },
  STORE_FULL: { family: 'retry', what: 'The disk, or the configured size of the data, is full' },
  ABI_INVALID: { family: 'final', what: 'The ABI is not valid' },

  // State history
  SHIP_DISCONNECTED: { family: 'retry', what: 'The state history connection is closed' },
  SHIP_SILENT: { family: 'retry', what: 'The node is connected but sends no blocks' },
  SHIP_MESSAGE_CORRUPT: { family: 'retry', what: 'A state history message does not decode' },
  SHIP_UNSUPPORTED: { family: 'final', what: 'The node speaks an unsupported state history protocol' },
  SHIP_DATA_MISSING: { family: 'final', what: 'The node does not keep a required part of the history' },
  SHIP_MESSAGE_TOO_LARGE: { family: 'final', what: 'A state history message is larger than the limit' },

  // Blocks
  FORK_TOO_DEEP: { family: 'final', what: 'The node contradicts an irreversible block' },
  BLOCK_GAP: { family: 'retry', what: 'A block does not follow the committed head' },
  ABI_OUTDATED: { family: 'retry', what: 'The data of a block was decoded with an ABI that is no longer in force' },
  DATA_FIELDS_DIFFER: { family: 'retry', what: 'A process that began later indexes other data fields' },
  BLOCK_ALTERED: { family: 'final', what: 'The contents of a block differ from the roots in its header' },
  REPAIR_REFUSED: { family: 'final', what: 'The block cannot be replaced' },
  BLOCK_REFUSED: { family: 'final', what: 'The store rejects a document of a block' },

  // The broker
  BROKER_UNAVAILABLE: { family: 'retry', what: 'The broker cannot be reached' },
  BROKER_QUEUE_MISMATCH: { family: 'final', what: 'A queue of the broker was declared with other arguments' },
  MESSAGE_INCOMPLETE: { family: 'retry', what: 'Parts of a message are missing' },
  MESSAGE_GIVEN_UP: { family: 'retry', what: 'The broker dead-lettered a message' },
} as const satisfies Record<string, ErrorDefinition & { status?: never }>;

export type ClientErrorCode = keyof typeof CLIENT_ERRORS;
export type WorkerErrorCode = keyof typeof WORKER_ERRORS;
export type ErrorCode = ClientErrorCode | WorkerErrorCode;

/** Every error, by its code; with `family` and `what` only. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorDefinition>> = { ...CLIENT_ERRORS, ...WORKER_ERRORS };

/**
 * The base class of all errors with a code; a project derives classes for errors that it handles itself. `detail` states what
 * happened and, for a mistake of a client or operator, what to change. Responses with a status below 500 contain it, so it never
 * holds host names, queries or texts of other systems.
 */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly code: ErrorCode;
  /** The work for a request that failed, in units of the cost limit; undefined where none was counted. */
  cost: number | undefined;

  constructor(code: ErrorCode, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.code = code;
  }

  get definition(): ErrorDefinition {
    return ERRORS[this.code];
  }

  /** Whether the same call can succeed later. */
  get retryable(): boolean {
    return this.definition.family === 'retry';
  }
}

/**
 * The definition that an HTTP client receives for an error. Worker errors do not end requests; if one does so by mistake,
 * the client receives `UNAVAILABLE` or `INTERNAL`, depending on its family.
 */
export function clientErrorOf({ code, retryable }: HistoryError): ClientErrorDefinition {
  if (isClientErrorCode(code)) return CLIENT_ERRORS[code];
  return retryable ? CLIENT_ERRORS.UNAVAILABLE : CLIENT_ERRORS.INTERNAL;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Whether `error` is a `HistoryError` with the given code. */
export function hasErrorCode(error: unknown, code: ErrorCode): error is HistoryError {
  return error instanceof HistoryError && error.code === code;
}

function isClientErrorCode(code: ErrorCode): code is ClientErrorCode {
  return Object.hasOwn(CLIENT_ERRORS, code);
}
