import type { LargeResponseLimit } from '@antelope-history/endpoint-kit';
import type { LocalResponder, LocalResponse, RequestBody } from '@antelope-history/gateway-proxy';
import type { Config, LoggedError, MetricsJson } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { ServiceThread } from '../threads/service-thread';
import type { ReportingThread } from '../threads/thread-list';
import { fromPostedError } from '../threads/thread-messages';
import type { ApiResult, ApiTask } from './api-messages';
import { LargeResponseDesk } from './shared-large-responses';

export interface ApiPoolOptions extends ApiThreadOptions {
  /** Number of threads, at least 1. */
  count: number;
}

interface ApiThreadOptions {
  /** The compiled file of a thread. */
  file: string;
  config: Config;
  /** Shared by the threads of the process. */
  largeResponses: LargeResponseLimit;
  /** Called when a thread fails after it has become ready. */
  fail(error: unknown): void;
}

/** Threads that render responses, each with a reader of the store. The main thread reads requests and sends the responses. */
export class ApiPool {
  private constructor(readonly threads: readonly ApiThread[]) {}

  /** Resolves when all threads are ready. */
  static async start({ count, ...options }: ApiPoolOptions): Promise<ApiPool> {
    return new ApiPool(await Promise.all(Array.from({ length: count }, () => ApiThread.start(options))));
  }

  /** Passes each request of a path to the thread with the fewest requests. */
  responder(route: string): LocalResponder {
    return (body, signal) => {
      const leastBusy = this.threads.reduce((least, each) => (each.pending < least.pending ? each : least));
      return leastBusy.respond(route, body, signal);
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

interface Waiter {
  resolve(response: LocalResponse): void;
  reject(error: Error): void;
}

/** One thread of the pool, and the requests that it works on. */
class ApiThread implements ReportingThread {
  private readonly waiting = new Map<number, Waiter>();
  private lastId = 0;
  private ended = false;
  private readonly desk: LargeResponseDesk;
  private thread: ServiceThread<ApiTask, ApiResult> | undefined;

  private constructor(largeResponses: LargeResponseLimit) {
    this.desk = new LargeResponseDesk(largeResponses, (reply) => this.thread?.send(reply));
  }

  static async start({ file, config, largeResponses, fail }: ApiThreadOptions): Promise<ApiThread> {
    const own = new ApiThread(largeResponses);
    own.thread = await ServiceThread.start<ApiTask, ApiResult>({
      file,
      name: 'api',
      config,
      onResult: (result) => own.receive(result),
      fail: (error) => {
        own.end();
        fail(error);
      },
    });
    return own;
  }

  get pending(): number {
    return this.waiting.size;
  }

  respond(route: string, { bytes, contentEncoding }: RequestBody, signal: AbortSignal): Promise<LocalResponse> {
    if (this.ended) return Promise.reject(stopped());
    const id = ++this.lastId;
    const owned = new Uint8Array(bytes);
    const abandon = (): void => this.thread?.send({ kind: 'abandon', id });
    return new Promise<LocalResponse>((resolve, reject) => {
      signal.throwIfAborted();
      this.waiting.set(id, { resolve, reject });
      signal.addEventListener('abort', abandon, { once: true });
      this.thread?.send({ kind: 'respond', id, path: route, bytes: owned, contentEncoding }, [owned.buffer]);
    }).finally(() => signal.removeEventListener('abort', abandon));
  }

  metrics(): Promise<MetricsJson> {
    return this.thread?.metrics() ?? Promise.resolve([]);
  }

  lastError(): LoggedError | undefined {
    return this.thread?.lastError();
  }

  async stop(): Promise<void> {
    await this.thread?.stop();
    this.end();
  }

  private receive(result: ApiResult): void {
    switch (result.kind) {
      case 'response': {
        const { headers, pieces, cost } = result;
        return this.take(result.id)?.resolve({ headers, pieces: pieces.map(toBuffer), cost });
      }
      case 'error':
        return this.take(result.id)?.reject(fromPostedError(result.error));
      default:
        return this.desk.receive(result);
    }
  }

  private take(id: number): Waiter | undefined {
    const waiter = this.waiting.get(id);
    this.waiting.delete(id);
    return waiter;
  }

  /** Rejects the requests that the thread has, and those that come until the process has stopped. */
  private end(): void {
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(stopped());
    this.waiting.clear();
  }
}

function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the service stops');
}

/** A view of the same bytes. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
