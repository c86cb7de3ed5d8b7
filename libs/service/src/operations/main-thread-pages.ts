/** A response of the main thread. */
export interface Page {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** When it was received, by `performance.now()`. */
  receivedAt: number;
}

export interface MainThreadPagesOptions {
  /** Where the main thread answers: `http://127.0.0.1:…`. */
  url: string;
  /** A page older than this is not shown any more. */
  silentAfterMs: number;
  askLimitMs?: number;
}

/** Longer than /health waits for its components; below the ten seconds that Prometheus waits. */
const ASK_LIMIT_MS = 3_000;
/** Only of these the last known response is kept, which bounds the memory. */
const KEPT_PATHS = new Set(['/health', '/metrics']);
/** They belong to one connection, or are set anew. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** What the main thread answers to those who watch it, and of some pages its last known response while it is busy. */
export class MainThreadPages {
  private heardAt = performance.now();
  private readonly kept = new Map<string, Page>();
  private readonly underWay = new Map<string, Promise<Page | undefined>>();

  constructor(private readonly options: MainThreadPagesOptions) {}

  /** For how long the main thread has answered nothing. */
  silentMs(): number {
    return performance.now() - this.heardAt;
  }

  /** Asks for a page; undefined when the main thread is too busy and there is no last known one. */
  async read(method: string, path: string): Promise<Page | undefined> {
    const page = await this.ask(method, path);
    return page ?? (method === 'GET' ? this.lastKnown(path) : undefined);
  }

  private lastKnown(path: string): Page | undefined {
    const page = this.kept.get(path);
    return page && performance.now() - page.receivedAt < this.options.silentAfterMs ? page : undefined;
  }

  /** Those who ask for the same page at once share one request. */
  private ask(method: string, path: string): Promise<Page | undefined> {
    const key = `${method} ${path}`;
    const asked = this.underWay.get(key) ?? this.fetchPage(method, path).finally(() => this.underWay.delete(key));
    this.underWay.set(key, asked);
    return asked;
  }

  private async fetchPage(method: string, path: string): Promise<Page | undefined> {
    const { url, askLimitMs = ASK_LIMIT_MS } = this.options;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(askLimitMs),
      });
      const headers = Object.fromEntries([...response.headers].filter(([name]) => !CONNECTION_HEADERS.has(name)));
      const body = Buffer.from(await response.arrayBuffer());
      this.heardAt = performance.now();
      const page: Page = { status: response.status, headers, body, receivedAt: this.heardAt };
      if (method === 'GET' && KEPT_PATHS.has(path)) this.kept.set(path, page);
      return page;
    } catch {
      return undefined;
    }
  }
}
