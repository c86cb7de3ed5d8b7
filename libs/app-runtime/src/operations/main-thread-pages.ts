import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A response of the main thread. */
export interface Page {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** When it was received, by `performance.now()`. */
  receivedAt: number;
}

export interface MainThreadPagesOptions {
  /** Base URL of the main thread's listener: `http://127.0.0.1:…`. */
  url: string;
  /** An older page is not served. */
  silentAfterMs: number;
}

/** Above the two seconds in which /health queries components, below the default scrape timeout of Prometheus (ten seconds). */
const REQUEST_TIMEOUT_MS = 3_000;
/** The last response is kept for these paths only, which limits the memory. */
const KEPT_PATHS = new Set(['/health', '/metrics']);
/** Headers of one connection, or headers that node:http sets itself. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Reads operations pages from the main thread; while it is busy, returns the last response for `KEPT_PATHS`. */
export class MainThreadPages {
  private lastResponseAt = performance.now();
  private readonly kept = new Map<string, Page>();
  private readonly inProgress = new Map<string, Promise<Page | undefined>>();

  constructor(private readonly options: MainThreadPagesOptions) {}

  /** Milliseconds since the last response of the main thread. */
  silentMs(): number {
    return performance.now() - this.lastResponseAt;
  }

  /** Requests a page; undefined when the main thread does not respond and no earlier response is kept. */
  async read(method: string, path: string): Promise<Page | undefined> {
    const page = await this.request(method, path);
    return page ?? (method === 'GET' ? this.lastKnown(path) : undefined);
  }

  private lastKnown(path: string): Page | undefined {
    const page = this.kept.get(path);
    return page && performance.now() - page.receivedAt < this.options.silentAfterMs ? page : undefined;
  }

  /** Concurrent requests for the same page share one request to the main thread. */
  private request(method: string, path: string): Promise<Page | undefined> {
    const key = `${method} ${path}`;
    const request = this.inProgress.get(key) ?? this.fetchPage(method, path).finally(() => this.inProgress.delete(key));
    this.inProgress.set(key, request);
    return request;
  }

  private async fetchPage(method: string, path: string): Promise<Page | undefined> {
    try {
      const response = await this.send(method, path);
      const headers = Object.fromEntries(
        Object.entries(response.headers).filter(([name]) => !CONNECTION_HEADERS.has(name)),
      );
      const body = await buffer(response);
      this.lastResponseAt = performance.now();
      const page: Page = { status: response.statusCode ?? 0, headers, body, receivedAt: this.lastResponseAt };
      if (method === 'GET' && KEPT_PATHS.has(path)) this.kept.set(path, page);
      return page;
    } catch {
      return undefined;
    }
  }

  /** Not by `fetch`, whose modules take a tenth of the processor time of a start, in every process. */
  private send(method: string, path: string): Promise<IncomingMessage> {
    const { url } = this.options;
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    return new Promise((resolve, reject) => {
      // A kept connection may be closed by the server just when it is used again.
      request(`${url}${path}`, { method, agent: false, signal }, resolve).on('error', reject).end();
    });
  }
}
