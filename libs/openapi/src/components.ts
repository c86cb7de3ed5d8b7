import { z } from 'zod';
import { errorResponse, healthResponse, ROUTES, shortHealthResponse } from '@antelope-history/schemas';
import type { JsonObject, OpenApiDocument } from './openapi-types';

const SCHEMAS = '#/components/schemas/';

/** Refers to a schema that has an id. Throws when it has none. */
export function refTo(schema: z.ZodType): JsonObject {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('the schema has no id');
  return { $ref: `${SCHEMAS}${id}` };
}

export function createComponents(): OpenApiDocument['components'] {
  const routes = Object.values(ROUTES);
  return {
    schemas: {
      ...toJsonSchemas(
        routes.map(({ request }) => request),
        'input',
      ),
      ...toJsonSchemas(
        [...routes.map(({ answer }) => answer), errorResponse, healthResponse, shortHealthResponse],
        'output',
      ),
    },
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  };
}

const KEY_DESCRIPTION =
  'A key that the operator gave. Without one, limits are those of the address; some services take keys only.';
const SECURITY_SCHEMES: Record<string, JsonObject> = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: KEY_DESCRIPTION },
  bearer: { type: 'http', scheme: 'bearer', description: KEY_DESCRIPTION },
};

/** Of an endpoint: no key, or one of either kind. */
export const SECURITY: Record<string, string[]>[] = [{}, { apiKey: [] }, { bearer: [] }];

/** The schemas and all they refer to, by id. Zod writes the dialect of OpenAPI 3.1, JSON Schema 2020-12, itself. */
function toJsonSchemas(schemas: z.ZodType[], io: 'input' | 'output'): Record<string, JsonObject> {
  const { $defs = {} } = z.toJSONSchema(z.tuple(schemas as [z.ZodType]), { io });
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${SCHEMAS}`)) as Record<string, JsonObject>;
}

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonObject => ({ description, schema: { type: 'integer' } });

const HEADERS: Record<string, JsonObject> = {
  'x-request-id': text("The request's own, or one made for it."),
  etag: text('Of an answer that can no longer change: an irreversible block or transaction.'),
  'cache-control': text('There with `etag`.'),
  'www-authenticate': text('`Bearer`: how a key is sent.'),
  'retry-after': count('Seconds to wait.'),
  'x-ratelimit-limit': count('Requests that a client may send per minute, where that is limited.'),
  'x-ratelimit-remaining': count('Requests left in this minute.'),
  'x-ratelimit-reset': count('When the next minute begins, in seconds since 1970.'),
};

/** Headers of an answer, by name. */
export function headersOf(...names: (keyof typeof HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
