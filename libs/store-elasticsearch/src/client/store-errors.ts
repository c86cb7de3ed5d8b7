import { addressOf, toConnectionError, type ServerName } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { errors, type estypes } from '@elastic/elasticsearch';

/** Resolves as `request` does; rejects with the store error of the client's error. */
export async function withStoreErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** As `withStoreErrors`, but undefined when the server responds with status 404. */
export async function undefinedIfMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (httpStatusOf(error) === 404) return undefined;
    throw toStoreError(error);
  }
}

/** The HTTP status of an error response; undefined for other errors. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof errors.ResponseError ? error.statusCode : undefined;
}

/** The type in an error response, e.g. `version_conflict_engine_exception`; undefined for other errors. */
export function errorTypeOf(error: unknown): string | undefined {
  if (!(error instanceof errors.ResponseError)) return undefined;
  const body = error.body as { error?: { type?: unknown } } | string | undefined;
  const type = typeof body === 'object' ? body.error?.type : undefined;
  return typeof type === 'string' ? type : undefined;
}

/**
 * The store error of a failed request: `STORE_UNAVAILABLE` when a retry may succeed, `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`
 * or `STORE_REFUSED` when the configuration or the cluster has to change first. It holds no content of the request.
 */
export function toStoreError(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  if (error instanceof errors.ResponseError) return toResponseError(error.statusCode ?? 0, errorTypeOf(error));
  if (error instanceof errors.ProductNotSupportedError) {
    return new HistoryError('STORE_REFUSED', 'the server in store.elasticsearch.urls is not Elasticsearch');
  }
  if (error instanceof errors.ElasticsearchClientError) {
    return toConnectionError({ code: codeOf(error) }, serverOf(error), 'STORE_UNAVAILABLE');
  }
  return new HistoryError('INTERNAL', 'a request to Elasticsearch failed', { cause: error });
}

const BUSY_STATUSES = [408, 429];
const SERVER_ERROR = 500;
/**
 * A block on an index or the cluster ends when the disk has room again, or when an operator removes it; a closed index can be opened. A
 * process that finds an index missing may have been suspended while another one deleted it: the next attempt does without it, or says that
 * it is lost.
 */
const TEMPORARY_ERRORS: ReadonlySet<string> = new Set([
  'cluster_block_exception',
  'index_closed_exception',
  'index_not_found_exception',
]);

/** Whether the same request may succeed later. A server that fails (5xx) has rejected nothing: it could not decide. */
export function isBusy(status: number, type: string | undefined): boolean {
  return status >= SERVER_ERROR || BUSY_STATUSES.includes(status) || (type !== undefined && TEMPORARY_ERRORS.has(type));
}

/** The documents of a multi-get that exist, in its order, else undefined. Throws the store error of one that could not be read. */
export function foundDocuments<T>(
  docs: readonly estypes.MgetResponseItem<T>[],
): (estypes.GetGetResult<T> | undefined)[] {
  return docs.map((doc) => {
    // Also of a missing index: nothing is known about a document that cannot be read.
    if ('error' in doc) throw toResponseError(SERVER_ERROR, doc.error.type);
    return doc.found ? doc : undefined;
  });
}

/** The store error of an error response, or of one item of a bulk or multi-search response. */
export function toResponseError(status: number, type: string | undefined): HistoryError {
  const isBlocked = type === 'cluster_block_exception';
  const why = (type ?? `status ${status}`) + (isBlocked ? ': npm run check-config of an indexer says which block' : '');
  if (isBusy(status, type))
    return new HistoryError('STORE_UNAVAILABLE', `Elasticsearch cannot serve the request now: ${why}`);
  if (status === 401) {
    return new HistoryError(
      'ACCESS_REFUSED',
      'Elasticsearch refuses the user or the password: set store.elasticsearch.username and .password',
    );
  }
  if (status === 403) {
    return new HistoryError(
      'ACCESS_REFUSED',
      'the user of store.elasticsearch lacks a privilege on the indices: npm run check-config says which',
    );
  }
  return new HistoryError('STORE_REFUSED', `Elasticsearch refused a request: ${why}`);
}

function serverOf(error: errors.ElasticsearchClientError): ServerName {
  const { meta } = error as { meta?: { meta?: { connection?: { url?: URL | string } | null } } };
  const url = meta?.meta?.connection?.url;
  return nameServer(url ? addressOf(String(url)) : 'store.elasticsearch.urls');
}

/** The server's name in messages. */
export function nameServer(address: string): ServerName {
  return {
    name: 'Elasticsearch',
    address,
    keys: {
      url: 'store.elasticsearch.urls',
      caFile: 'store.elasticsearch.ca_file',
      access: 'store.elasticsearch.username and .password',
    },
  };
}

/** The client keeps only the text of the underlying error. */
const CODES_BY_TEXT: [RegExp, string][] = [
  [/wrong version number|packet length too long/i, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/self[- ]signed certificate|unable to (verify|get)/i, 'CERT_UNTRUSTED'],
  [/certificate has expired/i, 'CERT_HAS_EXPIRED'],
  [/certificate is not yet valid/i, 'CERT_NOT_YET_VALID'],
  [/does not match certificate/i, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/other side closed|socket hang up/i, 'ECONNRESET'],
];

function codeOf(error: errors.ElasticsearchClientError): string | undefined {
  if (error instanceof errors.TimeoutError) return 'ETIMEDOUT';
  const known = CODES_BY_TEXT.find(([text]) => text.test(error.message))?.[1];
  return known ?? /\b(E[A-Z]{4,}|EAI_AGAIN)\b/.exec(error.message)?.[1];
}
