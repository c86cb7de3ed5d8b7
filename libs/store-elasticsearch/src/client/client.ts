import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  Transport,
  type ClientOptions,
  type TransportOptions,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { NodePool, WatchedConnection } from './cluster-nodes';
import type { ElasticsearchOptions } from './elasticsearch-options';
import { withLinkedSignal } from './linked-signal';

/** Sockets per node besides those of bulk requests. */
const SPARE_CONNECTIONS = 32;
const KEEP_ALIVE_MS = 30_000;
/** The client sends a request again when a node does not respond, so that every request may be executed twice. */
const MAX_RETRIES = 2;
/** The wait before a retry. By default the client waits up to four seconds, and the caller with it. */
const RETRY_WAIT_SECONDS = 0.1;
/** Larger responses are rejected: the largest expected ones are pages of `MAX_PAGE_BYTES` as base64 in JSON. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

class QuickRetryTransport extends Transport {
  constructor(options: TransportOptions) {
    super({
      ...options,
      openTelemetry: { enabled: false },
      retryBackoff: (_min, _max, attempt) => RETRY_WAIT_SECONDS * attempt,
    });
  }
}

/** The transport of a client whose requests reject with `STOPPED` as soon as the signal aborts. */
function interruptedBy(interruption: AbortSignal): typeof Transport {
  return class extends QuickRetryTransport {
    /** Only the waiting ends: the server may execute a request that is on its way. */
    override async request<Response>(
      params: TransportRequestParams,
      options: TransportRequestOptions = {},
    ): Promise<Response> {
      const signals = [interruption, ...(options.signal ? [options.signal] : [])];
      try {
        return await withLinkedSignal(signals, ({ signal }) => super.request<Response>(params, { ...options, signal }));
      } catch (error) {
        if (interruption.aborted) throw new HistoryError('STOPPED', 'interrupted');
        throw error;
      }
    }
  };
}

/**
 * Makes the client; it connects when it is first used. Its requests reject with `STOPPED` when `interruption` aborts. Throws
 * `CONFIG_INVALID` when the CA file cannot be read.
 */
export function createClient(options: ElasticsearchOptions, interruption?: AbortSignal): Client {
  const settings: ClientOptions = {
    nodes: options.urls,
    requestTimeout: options.requestTimeoutSeconds * 1000,
    maxRetries: MAX_RETRIES,
    maxResponseSize: MAX_RESPONSE_BYTES,
    agent: { connections: options.bulkConcurrency + SPARE_CONNECTIONS, keepAliveTimeout: KEEP_ALIVE_MS },
    enableMetaHeader: false,
    disablePrototypePoisoningProtection: true,
    Transport: interruption ? interruptedBy(interruption) : QuickRetryTransport,
  };
  if (options.urls.length > 1) Object.assign(settings, { Connection: WatchedConnection, ConnectionPool: NodePool });
  if (options.username !== undefined) settings.auth = { username: options.username, password: options.password ?? '' };
  if (options.caFile !== undefined) settings.tls = { ca: readCaFile(options.caFile) };
  return new Client(settings);
}

/** Runs `use` with a client of its own, which is closed at the end. Rejects as `use` does. `interruption`: see `createClient`. */
export async function withClient<T>(
  options: ElasticsearchOptions,
  use: (client: Client) => Promise<T>,
  interruption?: AbortSignal,
): Promise<T> {
  const client = createClient(options, interruption);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** How long closing waits for requests in progress. A write that is cut off is delivered again. */
const CLOSE_LIMIT_MS = 2_000;

/** Resolves when `close` has, or after `CLOSE_LIMIT_MS`. */
export async function closeInTime(close: () => Promise<unknown>): Promise<void> {
  await Promise.race([close(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
}

function readCaFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new HistoryError('CONFIG_INVALID', 'store.elasticsearch.ca_file cannot be read');
  }
}
