import { z } from 'zod';
import {
  errorResponse,
  healthResponse,
  type Route,
  shortHealthResponse,
  statusResponse,
} from '@antelope-history/schemas';
import { toJsonSchema } from './json-schema';
import type { JsonObject, OpenApiDocument } from './openapi-types';

const SCHEMAS = '#/components/schemas/';

/** A reference to a schema by its id. Throws if the schema has none. */
export function refTo(schema: z.ZodType): JsonObject {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('the schema has no id');
  return { $ref: `${SCHEMAS}${id}` };
}

/** The schemas of the routes, the errors and /health, and the headers and security schemes of all of them. */
export function createComponents(routes: Route[]): OpenApiDocument['components'] {
  return {
    schemas: {
      ...toJsonSchemas(
        routes.map(({ request }) => request),
        'input',
      ),
      ...toJsonSchemas(
        [...routes.map(({ response }) => response), errorResponse, healthResponse, shortHealthResponse, statusResponse],
        'output',
      ),
    },
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  };
}

const KEY_DESCRIPTION =
  'An API key from the operator. Requests without a key share the limits of their address; some services require a key.';
const SECURITY_SCHEMES: Record<string, JsonObject> = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: KEY_DESCRIPTION },
  bearer: { type: 'http', scheme: 'bearer', description: KEY_DESCRIPTION },
};

/** Security of every endpoint: no key, or a key in either header. */
export const SECURITY: Record<string, string[]>[] = [{}, { apiKey: [] }, { bearer: [] }];

/**
 * The given schemas and all schemas that they refer to, by id. Zod itself writes JSON Schema 2020-12, the dialect of
 * OpenAPI 3.1.
 */
function toJsonSchemas(schemas: z.ZodType[], io: 'input' | 'output'): Record<string, JsonObject> {
  const { $defs = {} } = toJsonSchema(z.tuple(schemas as [z.ZodType]), io);
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${SCHEMAS}`)) as Record<string, JsonObject>;
}

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonObject => ({ description, schema: { type: 'integer' } });

const HEADERS: Record<string, JsonObject> = {
  'x-request-id': text('The id that the request sent, or a generated one.'),
  etag: text('Present when the response is final: an irreversible block or transaction.'),
  'cache-control': text('Present together with `etag`.'),
  'www-authenticate': text('`Bearer`: how to send a key.'),
  'retry-after': count('Seconds to wait before the next attempt.'),
  'x-ratelimit-limit': count('Requests that a client may send per minute, if they are limited.'),
  'x-ratelimit-remaining': count('Requests left in the current minute.'),
  'x-ratelimit-reset': count('Start of the next minute, in seconds since 1970.'),
};

/** References to response headers, by name. */
export function headersOf(...names: (keyof typeof HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
