import type { RequestListener } from 'node:http';
import request from 'supertest';
import { createOpenApiDocument } from '@antelope-history/openapi';
import { errorResponse, type RouteTable } from '@antelope-history/schemas';
import { createResponseCheck } from '@antelope-history/test-support/openapi-check';

/** An error response: status, message, and the first of its details. */
export interface Refusal {
  status: number;
  message: string;
  code: number;
  name: string;
  detail: string | undefined;
}

/** Sends requests to an API app and throws when a response violates the OpenAPI document of its routes. */
export class ApiClient {
  private readonly check;

  constructor(routes: RouteTable) {
    this.check = createResponseCheck(createOpenApiDocument({ version: '', routes }));
  }

  async post(app: RequestListener, { path }: { path: string }, body: unknown): Promise<request.Response> {
    const response = await request(app)
      .post(path)
      .send(body as object);
    const { status, headers, text } = response;
    const violations = this.check({ method: 'POST', path, status, contentType: headers['content-type'], body: text });
    if (violations.length > 0) throw new Error(`${path} ${JSON.stringify(body)}: ${violations.join('; ')}`);
    return response;
  }

  /** Sends a request and throws unless the response is an error whose `code` is its HTTP status. */
  async refusalOf(app: RequestListener, route: { path: string }, body: unknown): Promise<Refusal> {
    const response = await this.post(app, route, body);
    const { code, message, error } = errorResponse.parse(response.body);
    if (code !== response.status) throw new Error(`code ${code} in a response of status ${response.status}`);
    return { status: code, message, code: error.code, name: error.name, detail: error.details[0]?.message };
  }
}
