import { createOpenApiDocument } from '@antelope-history/openapi';
import { ROUTES } from '@antelope-history/routes';
import { createResponseCheck, type ResponseCheck } from '@antelope-history/test-support/openapi-check';

export interface CheckedAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when there is none, as in an answer to HEAD. */
  json: unknown;
}

/** Sends requests to a gateway and throws when an answer is not what the OpenAPI document says. */
export class CheckedClient {
  private readonly check: ResponseCheck = createResponseCheck(createOpenApiDocument({ version: '', routes: ROUTES }));

  constructor(private readonly url: string) {}

  async send(method: string, path: string, init: RequestInit = {}): Promise<CheckedAnswer> {
    const response = await fetch(`${this.url}${path}`, { ...init, method });
    const { status, headers } = response;
    const text = await response.text();
    const contentType = headers.get('content-type') ?? undefined;
    if (method !== 'HEAD' && method !== 'OPTIONS') {
      const violations = this.check({ method, path, status, contentType, body: text });
      if (violations.length > 0) throw new Error(`${method} ${path} answers ${status}, but ${violations.join('; ')}`);
    }
    const isJson = text !== '' && contentType?.startsWith('application/json');
    return { status, headers, text, json: isJson ? (JSON.parse(text) as unknown) : undefined };
  }

  /** Sends a value as JSON, or a text as it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<CheckedAnswer> {
    return this.send('POST', path, { body: typeof body === 'string' ? body : JSON.stringify(body), headers });
  }
}
