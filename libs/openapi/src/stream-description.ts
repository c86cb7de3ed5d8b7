import type { z } from 'zod';
import type { ClientErrorCode } from '@antelope-history/schemas';
import { headersOf, SECURITY } from './components';
import { describeErrors, SHARED_ERRORS } from './endpoint-description';
import { toJsonSchema } from './json-schema';
import type { JsonObject, Operation } from './openapi-types';

/** A stream of server-sent events. */
export interface StreamDefinition {
  path: string;
  /** As it stands in errors. */
  endpoint: string;
  summary: string;
  description: string;
  /** The parameters of the query string. */
  request: z.ZodObject;
  /** Beside those that every endpoint can send. */
  errors: readonly ClientErrorCode[];
  /** A few events as they are sent. */
  example: string;
}

const LAST_EVENT_ID: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event that was processed: the stream continues after it.',
  schema: { type: 'string' },
};

/** The OpenAPI operation of a stream; OpenAPI 3.1 can't describe single events, so that the response is a text. */
export function describeStream(stream: StreamDefinition): Operation {
  const { endpoint, summary, description, request, errors, example } = stream;
  const { properties = {} } = toJsonSchema(request, 'input');
  const parameters = Object.entries(properties).map(([name, property]) => {
    const { description: meaning, ...schema } = property as JsonObject;
    return { name, in: 'query', ...(meaning !== undefined && { description: meaning }), schema };
  });
  return {
    operationId: endpoint,
    summary,
    tags: ['history'],
    description,
    security: SECURITY,
    parameters: [...parameters, LAST_EVENT_ID],
    responses: {
      200: {
        description: 'Events until the client leaves.',
        headers: headersOf('x-request-id'),
        content: { 'text/event-stream': { schema: { type: 'string' }, example } },
      },
      ...describeErrors(endpoint, [...errors, ...SHARED_ERRORS]),
    },
  };
}
