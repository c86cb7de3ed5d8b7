import {
  CLIENT_ERRORS,
  type ClientErrorCode,
  type ClientErrorDefinition,
  errorResponse,
  type ErrorResponse,
  type Route,
} from '@antelope-history/schemas';
import { headersOf, refTo, SECURITY } from './components';
import type { JsonObject, Operation, ResponseDescription } from './openapi-types';

export const JSON_TYPE = 'application/json';
const RATE_HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const FINAL_HEADERS = ['etag', 'cache-control'];
const STATUS_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
/** Errors that every endpoint can send. */
export const SHARED_ERRORS: readonly ClientErrorCode[] = [
  'UNAUTHORIZED',
  'BODY_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'BUSY',
  'UNAVAILABLE',
];

/** The OpenAPI operation of a route; `key` becomes its `operationId`. */
export function describeEndpoint(key: string, route: Route): Operation {
  const { group, endpoint, request, response, errors, cacheable, summary, description, example } = route;
  return {
    operationId: key,
    summary,
    tags: [group],
    description,
    security: SECURITY,
    requestBody: {
      // An empty body means that all fields are absent, which some endpoints accept.
      required: !request.safeParse({}).success,
      content: { [JSON_TYPE]: { schema: refTo(request), example: example.request } },
    },
    responses: {
      200: {
        description: 'Success.',
        headers: headersOf(...RATE_HEADERS, ...(cacheable ? FINAL_HEADERS : [])),
        content: { [JSON_TYPE]: { schema: refTo(response), example: example.response } },
      },
      ...describeErrors(endpoint, [...errors, ...SHARED_ERRORS]),
      default: describeOtherErrors(),
    },
  };
}

/** Errors that belong to no endpoint: a wrong method, headers above the limit, a request that does not arrive. */
function describeOtherErrors(): ResponseDescription {
  return { description: 'Any other error.', content: { [JSON_TYPE]: { schema: refTo(errorResponse) } } };
}

/** One response per status; its schema lists the codes and names that tell the errors of that status apart. */
export function describeErrors(endpoint: string, codes: ClientErrorCode[]): Record<string, ResponseDescription> {
  const statuses = [...new Set(codes.map((code) => CLIENT_ERRORS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const definitions = codes.map((code) => CLIENT_ERRORS[code]).filter((definition) => definition.status === status);
      return [status, describeError(endpoint, status, definitions)];
    }),
  );
}

function describeError(endpoint: string, status: number, definitions: ClientErrorDefinition[]): ResponseDescription {
  const retry = definitions.some(({ family }) => family === 'retry');
  return {
    description: definitions.map(({ nodeName, what }) => `\`${nodeName}\`: ${what}.`).join(' '),
    headers: headersOf(
      'x-request-id',
      ...(retry ? ['retry-after'] : []),
      ...(status === CLIENT_ERRORS.UNAUTHORIZED.status ? ['www-authenticate'] : []),
    ),
    content: {
      [JSON_TYPE]: {
        schema: {
          allOf: [refTo(errorResponse), { properties: { code: { const: status }, error: oneOf(definitions) } }],
        },
        examples: Object.fromEntries(
          definitions.map((definition) => [definition.what, { value: exampleOf(endpoint, definition) }]),
        ),
      },
    },
  };
}

/** The pairs of code and name that the given errors have. */
function oneOf(definitions: ClientErrorDefinition[]): JsonObject {
  const pairs = new Map(definitions.map(({ nodeCode, nodeName }) => [nodeName, nodeCode]));
  return {
    oneOf: [...pairs].map(([name, code]) => ({ properties: { code: { const: code }, name: { const: name } } })),
  };
}

function exampleOf(
  endpoint: string,
  { status, nodeCode, nodeName, what, message }: ClientErrorDefinition,
): ErrorResponse {
  const details = { message: 'What to change.', file: '', line_number: 0, method: endpoint };
  return {
    code: status,
    message: message ?? STATUS_PHRASES[status] ?? '',
    error: { code: nodeCode, name: nodeName, what, details: [details] },
  };
}
