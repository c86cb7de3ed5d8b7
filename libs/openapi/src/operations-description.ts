import { healthResponse, shortHealthResponse, statusResponse } from '@antelope-history/schemas';
import { headersOf, refTo } from './components';
import { JSON_TYPE } from './endpoint-description';
import type { JsonObject, OpenApiDocument, Operation } from './openapi-types';

/** The gateway's own paths: health, metrics and documentation. */
export function describeOperations(): OpenApiDocument['paths'] {
  const health = { [JSON_TYPE]: { schema: { anyOf: [refTo(shortHealthResponse), refTo(healthResponse)] } } };
  return {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Health and indexing progress; with all components on the operations listener',
        tags: ['service'],
        responses: {
          200: { description: 'Queries are served.', headers: headersOf('x-request-id'), content: health },
          503: { description: 'Queries cannot be served.', headers: headersOf('x-request-id'), content: health },
        },
      },
    },
    '/live': {
      get: describeGet('live', 'Whether the gateway runs', JSON_TYPE, {
        type: 'object',
        properties: { status: { const: 'ok' } },
        required: ['status'],
        additionalProperties: false,
      }),
    },
    '/metrics': { get: describeGet('metrics', 'Metrics for Prometheus', 'text/plain', { type: 'string' }) },
    '/openapi.json': { get: describeGet('openapi', 'This document', JSON_TYPE, { type: 'object' }) },
    '/status': {
      get: describeGet(
        'status',
        'State of each process, and the figures of the last hour',
        JSON_TYPE,
        refTo(statusResponse),
      ),
    },
    '/': {
      get: describeGet('page', 'The state of the service, and an explorer of the chain', 'text/html', {
        type: 'string',
      }),
    },
    '/docs': { get: describeGet('docs', 'This document as a page', 'text/html', { type: 'string' }) },
  };
}

function describeGet(operationId: string, summary: string, mediaType: string, schema: JsonObject): Operation {
  return {
    operationId,
    summary,
    tags: ['service'],
    responses: {
      200: { description: 'Success.', headers: headersOf('x-request-id'), content: { [mediaType]: { schema } } },
    },
  };
}
