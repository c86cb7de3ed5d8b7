import type { GetChainBlockResponse } from '@antelope-history/chain-routes';
import type {
  GetActionsResponse,
  GetControlledAccountsResponse,
  GetKeyAccountsResponse,
  GetTransactionResponse,
} from '@antelope-history/history-routes';
import type { ErrorResponse, ShortHealthResponse } from '@antelope-history/schemas';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';

/** The responses of the endpoints that the page requests, by path. */
interface Responses {
  '/v1/history/get_actions': GetActionsResponse;
  '/v1/history/get_transaction': GetTransactionResponse;
  '/v1/history/get_key_accounts': GetKeyAccountsResponse;
  '/v1/history/get_controlled_accounts': GetControlledAccountsResponse;
  '/v1/chain/get_block': GetChainBlockResponse;
  '/v1/trace_api/get_block': GetTraceBlockResponse;
  '/health': ShortHealthResponse;
}
export type Path = keyof Responses;
export type ResponseOf<P extends Path> = Responses[P];

/** A request as the API documentation writes it; `/health` has no body. */
export interface ApiRequest<P extends Path = Path> {
  path: P;
  body?: object;
}

/** A request that failed: what a person can do about it, and the HTTP status; 0 when there was no response. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Longer than the service takes for any response. */
const LIMIT_MS = 60_000;

const GET_ACTIONS: Path = '/v1/history/get_actions';

export interface ApiOptions {
  /** Without a slash at its end. */
  url: string;
  /** `/health` of the listener that serves the page: the API may be configured not to serve it. */
  healthUrl: string;
  /** Where the API counts the rows of `get_actions`, as the page does. */
  actionsPath?: string;
  apiKey?: string | undefined;
}

/** Sends requests to the API. Rejects with `RequestError`, and with the reason of `signal`. */
export class Api {
  constructor(private readonly options: ApiOptions) {}

  async send<P extends Path>({ path, body }: ApiRequest<P>, signal: AbortSignal): Promise<ResponseOf<P>> {
    const { status, text } = await this.fetch(path, body, signal);
    const content = parseObject(text);
    if (status !== 200 && !(path === '/health' && status === 503)) throw toError(status, content);
    // A proxy or a network that wants a login sends pages of its own.
    if (!content) throw new RequestError(`The response of ${this.options.url} is not that of the service.`, 502);
    return content as ResponseOf<P>;
  }

  /** The time limit and the signal hold until the whole response has arrived. */
  private async fetch(
    path: Path,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<{ status: number; text: string }> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), LIMIT_MS);
    const leave = (): void => limit.abort();
    signal.addEventListener('abort', leave);
    try {
      const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const { apiKey } = this.options;
      const headers = new Headers(apiKey === undefined || path === '/health' ? [] : [['x-api-key', apiKey]]);
      const options: RequestInit = { ...request, headers, cache: 'no-cache', signal: limit.signal };
      const response = await fetch(this.addressOf(path), options);
      return { status: response.status, text: await response.text() };
    } catch {
      signal.throwIfAborted();
      throw new RequestError(`The service at ${this.options.url} does not respond.`, 0);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  private addressOf(path: Path): string {
    const { url, healthUrl, actionsPath = GET_ACTIONS } = this.options;
    if (path === '/health') return healthUrl;
    return url + (path === GET_ACTIONS ? actionsPath : path);
  }

  /** The line for a terminal that sends the same request. It names a variable of the shell instead of the API key. */
  toCurl({ path, body }: ApiRequest): string {
    const key = this.options.apiKey === undefined ? '' : ' -H "x-api-key: $API_KEY"';
    const data = body === undefined ? '' : ` -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
    return `curl -s${key} ${this.addressOf(path)}${data}`;
  }
}

function toError(status: number, content: object | undefined): RequestError {
  // What is not of this service may have another form.
  const { error } = (content ?? {}) as { error?: Partial<ErrorResponse['error']> };
  const detail = error?.details?.[0]?.message ?? error?.what;
  if (status === 429) return new RequestError('Too many requests: wait a minute, then try again.', status);
  return new RequestError(detail ?? `The service responds with status ${status}.`, status);
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
