import { setMaxListeners } from 'node:events';
import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { httpStatusOf, isBusy, toResponseError, toStoreError } from '../client/store-errors';
import { BulkRequest } from './bulk-request';
import { RequestBuffers } from './request-buffers';
import { MissingIndexError } from './write-fence';
import { Semaphore } from './semaphore';

/** A request is not retried after this time: the caller then determines again what is left to write. */
const SEND_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;

const TOO_LARGE = 413;
const CONFLICT = 409;
const NOT_FOUND = 404;

/** Fields of responses, as `filter_path` names them. */
const WHETHER_FAILED = 'errors';
const EACH_OPERATION = 'errors,items.*.status,items.*.error.type';

interface BulkResponse {
  errors?: boolean;
  /** Of a request that lists its operations. */
  items?: Record<string, OperationResult>[];
}

interface OperationResult {
  status?: number;
  error?: { type?: string };
}

/** A document was replaced or deleted since it was read. */
export class ConflictError extends HistoryError {
  constructor(index: string) {
    super('STORE_UNAVAILABLE', `a document of ${index} was changed meanwhile`);
  }
}

/** The operations left after an attempt, and the reason. */
interface Rest {
  request: BulkRequest;
  reason: HistoryError;
}

/** Sends bulk requests, a limited number at once, and retries until every operation is durable. */
export class BulkWriter {
  private readonly semaphore: Semaphore;
  private readonly stopping = new AbortController();
  private readonly buffers: RequestBuffers;

  constructor(
    private readonly client: Client,
    concurrency: number,
  ) {
    this.semaphore = new Semaphore(concurrency);
    this.buffers = new RequestBuffers(concurrency);
    setMaxListeners(0, this.stopping.signal);
  }

  /** A request to pass to `write`, which may use the memory of one that was written before. */
  newRequest(): BulkRequest {
    return new BulkRequest(this.buffers);
  }

  /**
   * Consumes the requests as fast as they can be sent; resolves when all are durable. Rejects with `BLOCK_REFUSED` when the
   * server will never accept a document, with `STORE_UNAVAILABLE` when it did not accept all in time, with `MissingIndexError`
   * when an index or an alias does not exist, with `ConflictError` for a request that `failsOnConflict`. When it rejects, any of the
   * requests may have been written; rejects as `requests` does. None is on its way afterwards, and those that were written are empty.
   */
  async write(requests: Iterable<BulkRequest> | AsyncIterable<BulkRequest>): Promise<void> {
    const sending: Promise<void>[] = [];
    const failures: unknown[] = [];
    try {
      for await (const request of requests) {
        const release = await this.semaphore.acquire();
        if (failures.length > 0) {
          release();
          break;
        }
        const sent = this.send(request).catch((error: unknown) => void failures.push(error));
        sending.push(sent.finally(release));
      }
    } finally {
      await Promise.all(sending);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Aborts the requests in progress. They may have been written or not; their blocks are delivered again. */
  stop(): void {
    this.stopping.abort();
  }

  private async send(request: BulkRequest): Promise<void> {
    const deadline = performance.now() + SEND_LIMIT_MS;
    // Sent again as a whole, it would fail because of the operations that were executed.
    if (request.failsOnConflict) request.listsOperations = true;
    let rest = await this.attempt(request);
    const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    while (rest) {
      const waitMs = backoff.next();
      if (performance.now() + waitMs > deadline) throw rest.reason;
      await this.wait(waitMs);
      // Operations that were executed conflict with themselves when they are sent again.
      rest.request.listsOperations = true;
      rest = await this.attempt(rest.request);
    }
  }

  /** Sends a request once; returns the operations to retry. */
  private async attempt(request: BulkRequest): Promise<Rest | undefined> {
    try {
      const rest = restOf(request, await this.ask(request));
      // The server has read all of it, and an attempt that failed before has closed its connection.
      if (!rest) request.release();
      return rest;
    } catch (error) {
      if (httpStatusOf(error) === TOO_LARGE) {
        for (const half of halvesOf(request)) await this.send(half);
        return undefined;
      }
      const reason = toStoreError(error);
      if (reason instanceof MissingIndexError || reason instanceof ConflictError) throw reason;
      if (reason.code !== 'STORE_UNAVAILABLE') throw reason;
      return { request, reason };
    }
  }

  private async wait(waitMs: number): Promise<void> {
    await abortableSleep(waitMs, this.stopping.signal);
    if (this.stopping.signal.aborted) throw new HistoryError('STOPPED', 'the store is closed');
  }

  private ask(request: BulkRequest): Promise<BulkResponse> {
    return this.client.transport.request<BulkResponse>(
      {
        method: 'POST',
        path: '/_bulk',
        querystring: {
          filter_path: request.listsOperations ? EACH_OPERATION : WHETHER_FAILED,
          refresh: request.visibleAtOnce,
          ...(request.requiresAliases && { require_alias: true }),
        },
        bulkBody: request.body,
      },
      // Retried here and not by the client, which would retry completed operations too.
      { maxRetries: 0, signal: this.stopping.signal },
    );
  }
}

/** The operations to retry; items are in the order of the operations. */
function restOf(request: BulkRequest, { errors, items = [] }: BulkResponse): Rest | undefined {
  if (!request.listsOperations) {
    return errors === false ? undefined : unavailable(request, 'did not confirm every operation of a bulk request');
  }
  if (items.length !== request.count) return unavailable(request, 'returned an incomplete bulk response');
  if (!errors) return undefined;
  let reason: HistoryError | undefined;
  const retries: number[] = [];
  for (const [index, item] of items.entries()) {
    const failure = failureOf(request, index, Object.values(item)[0]);
    if (!failure) continue;
    reason = failure;
    retries.push(index);
  }
  return reason && { request: request.pick(retries), reason };
}

/** Why an operation is to be retried; undefined when it is done. Throws when a retry of the same request cannot succeed. */
function failureOf(
  request: BulkRequest,
  index: number,
  { status = 0, error }: OperationResult = {},
): HistoryError | undefined {
  if (status === CONFLICT && request.failsOnConflict) throw new ConflictError(request.indexOf(index));
  // Done before: the document exists in this or a higher version, or is already deleted.
  if (status < 300 || status === CONFLICT || isGone(status, error?.type)) return undefined;
  // The caller creates the index, or reads the progress again.
  if (error?.type === 'index_not_found_exception') throw new MissingIndexError(`${request.indexOf(index)} is missing`);
  const failure = operationError(request, index, status, error?.type);
  if (!failure.retryable) throw failure;
  return failure;
}

function isGone(status: number, type: string | undefined): boolean {
  return status === NOT_FOUND && (type === undefined || type === 'document_missing_exception');
}

function unavailable(request: BulkRequest, what: string): Rest {
  return { request, reason: new HistoryError('STORE_UNAVAILABLE', `Elasticsearch ${what}`) };
}

function operationError(request: BulkRequest, index: number, status: number, type: string | undefined): HistoryError {
  if (isBusy(status, type) || status === 401 || status === 403) return toResponseError(status, type);
  return refusal(request, index, type ?? `status ${status}`);
}

function halvesOf(request: BulkRequest): BulkRequest[] {
  if (request.count < 2) throw refusal(request, 0, 'larger than http.max_content_length of the server');
  return request.split();
}

function refusal(request: BulkRequest, operation: number, why: string): HistoryError {
  const block = request.blocks[operation];
  const index = request.indexOf(operation);
  if (!block) return new HistoryError('STORE_REFUSED', `${index} refuses a document: ${why}`);
  return new HistoryError('BLOCK_REFUSED', `${index} refuses a document of block ${block.num} ${block.id}: ${why}`);
}
