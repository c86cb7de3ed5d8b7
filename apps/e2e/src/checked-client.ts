import { createOpenApiDocument } from '@antelope-history/openapi';
import { ROUTES } from '@antelope-history/routes';
import { createResponseCheck, type ResponseCheck } from '@antelope-history/test-support/openapi-check';

export interface CheckedResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when there is none, as in a response to HEAD. */
  json: unknown;
}

/** Sends requests to a gateway and throws when a response violates the OpenAPI document. */
export class CheckedClient {
  private readonly check: ResponseCheck = createResponseCheck(createOpenApiDocument({ version: '', routes: ROUTES }));

  constructor(private readonly url: string) {}

  async send(method: string, path: string, init: RequestInit = {}): Promise<CheckedResponse> {
    const response = await fetch(`${this.url}${path}`, { ...init, method });
    const { status, headers } = response;
    const text = await response.text();
    const contentType = headers.get('content-type') ?? undefined;
    if (method !== 'HEAD' && method !== 'OPTIONS') {
      const violations = this.check({ method, path, status, contentType, body: text });
      if (violations.length > 0)
        throw new Error(
          `${method} ${path}: a response with status ${status} violates the OpenAPI document: ${violations.join('; ')}`,
        );
    }
    const isJson = text !== '' && contentType?.startsWith('application/json');
    return { status, headers, text, json: isJson ? (JSON.parse(text) as unknown) : undefined };
  }

  /** Sends an object as JSON and a string unchanged. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<CheckedResponse> {
    return this.send('POST', path, { body: typeof body === 'string' ? body : JSON.stringify(body), headers });
  }
}
