import type { LargeResponseLimit } from '@antelope-history/endpoint-kit';
import type { LocalResponder, LocalResponse, RequestBody } from '@antelope-history/gateway-proxy';
import type { Config, LoggedError, MetricsJson } from '@antelope-history/app-runtime';
import { toBuffer } from '../threads/owned-bytes';
import { PendingTasks } from '../threads/pending-tasks';
import { ServiceThread } from '../threads/service-thread';
import type { ReportingThread } from '../threads/thread-list';
import { fromPostedError } from '../threads/thread-messages';
import type { ApiResult, ApiTask } from './api-messages';
import { LargeResponseServer } from './shared-large-responses';

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

/** One thread of the pool, and the requests that it works on. */
class ApiThread implements ReportingThread {
  private readonly requests = new PendingTasks<LocalResponse>();
  private readonly largeResponseServer: LargeResponseServer;
  private thread: ServiceThread<ApiTask, ApiResult> | undefined;

  private constructor(largeResponses: LargeResponseLimit) {
    this.largeResponseServer = new LargeResponseServer(largeResponses, (reply) => this.thread?.send(reply));
  }

  static async start({ file, config, largeResponses, fail }: ApiThreadOptions): Promise<ApiThread> {
    const own = new ApiThread(largeResponses);
    own.thread = await ServiceThread.start<ApiTask, ApiResult>({
      file,
      name: 'api',
      config,
      onResult: (result) => own.receive(result),
      fail: (error) => {
        own.requests.end();
        fail(error);
      },
    });
    return own;
  }

  get pending(): number {
    return this.requests.size;
  }

  async respond(route: string, { bytes, contentEncoding }: RequestBody, signal: AbortSignal): Promise<LocalResponse> {
    signal.throwIfAborted();
    let abandon = (): void => undefined;
    try {
      return await this.requests.run((id) => {
        const owned = new Uint8Array(bytes);
        abandon = () => this.thread?.send({ kind: 'abandon', id });
        signal.addEventListener('abort', abandon, { once: true });
        this.thread?.send({ kind: 'respond', id, path: route, bytes: owned, contentEncoding }, [owned.buffer]);
      });
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  metrics(): Promise<MetricsJson> {
    return this.thread?.metrics() ?? Promise.resolve([]);
  }

  lastError(): LoggedError | undefined {
    return this.thread?.lastError();
  }

  async stop(): Promise<void> {
    await this.thread?.stop();
    this.requests.end();
  }

  private receive(result: ApiResult): void {
    switch (result.kind) {
      case 'response': {
        const { id, headers, pieces, cost } = result;
        return this.requests.resolve(id, { headers, pieces: pieces.map(toBuffer), cost });
      }
      case 'error':
        return this.requests.reject(result.id, fromPostedError(result.error));
      default:
        return this.largeResponseServer.receive(result);
    }
  }
}
