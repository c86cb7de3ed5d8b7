import {
  CLIENT_ERRORS,
  errorAnswer,
  type ErrorAnswer,
  type ClientErrorCode,
  type ClientErrorDefinition,
  ROUTES,
} from '@antelope-history/schemas';
import { headersOf, refTo, SECURITY } from './components';
import { ENDPOINT_NOTES } from './endpoint-notes';
import type { AnswerDescription, JsonObject, Operation } from './openapi-types';

export const JSON_TYPE = 'application/json';
const RATE_HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const STATUS_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
/** Errors of every endpoint. */
const SHARED_ERRORS: ClientErrorCode[] = [
  'UNAUTHORIZED',
  'BODY_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'BUSY',
  'UNAVAILABLE',
];

export function describeEndpoint(key: keyof typeof ROUTES): Operation {
  const { app, endpoint, request, answer } = ROUTES[key];
  const { summary, description, example, errors, cacheable } = ENDPOINT_NOTES[key];
  return {
    operationId: key,
    summary,
    tags: [app],
    description,
    security: SECURITY,
    requestBody: {
      // Without a body all fields are absent, and some requests need none.
      required: !request.safeParse({}).success,
      content: { [JSON_TYPE]: { schema: refTo(request), example: example.request } },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: headersOf(...RATE_HEADERS, ...(cacheable ? ['etag', 'cache-control'] : [])),
        content: { [JSON_TYPE]: { schema: refTo(answer), example: example.answer } },
      },
      ...describeErrors(endpoint, [...errors, ...SHARED_ERRORS]),
      default: describeOtherErrors(),
    },
  };
}

/** What is no endpoint's own: a wrong method, headers that are too large, a request that does not arrive. */
function describeOtherErrors(): AnswerDescription {
  return { description: 'Any other error.', content: { [JSON_TYPE]: { schema: refTo(errorAnswer) } } };
}

/** An answer per status, which says by which codes and names its errors are told apart. */
function describeErrors(endpoint: string, codes: ClientErrorCode[]): Record<string, AnswerDescription> {
  const statuses = [...new Set(codes.map((code) => CLIENT_ERRORS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const definitions = codes.map((code) => CLIENT_ERRORS[code]).filter((definition) => definition.status === status);
      return [status, describeError(endpoint, status, definitions)];
    }),
  );
}

function describeError(endpoint: string, status: number, definitions: ClientErrorDefinition[]): AnswerDescription {
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
        schema: { allOf: [refTo(errorAnswer), { properties: { code: { const: status }, error: oneOf(definitions) } }] },
        examples: Object.fromEntries(
          definitions.map((definition) => [definition.what, { value: exampleOf(endpoint, definition) }]),
        ),
      },
    },
  };
}

/** Which code goes with which name. */
function oneOf(definitions: ClientErrorDefinition[]): JsonObject {
  const pairs = new Map(definitions.map(({ nodeCode, nodeName }) => [nodeName, nodeCode]));
  return {
    oneOf: [...pairs].map(([name, code]) => ({ properties: { code: { const: code }, name: { const: name } } })),
  };
}

function exampleOf(
  endpoint: string,
  { status, nodeCode, nodeName, what, message }: ClientErrorDefinition,
): ErrorAnswer {
  const details = { message: 'What to change.', file: '', line_number: 0, method: endpoint };
  return {
    code: status,
    message: message ?? STATUS_PHRASES[status] ?? '',
    error: { code: nodeCode, name: nodeName, what, details: [details] },
  };
}
