import { healthResponse, shortHealthResponse } from '@antelope-history/schemas';
import { headersOf, refTo } from './components';
import { JSON_TYPE } from './endpoint-description';
import type { JsonObject, OpenApiDocument, Operation } from './openapi-types';

/** The gateway's own paths. */
export function describeOperations(): OpenApiDocument['paths'] {
  const health = { [JSON_TYPE]: { schema: { anyOf: [refTo(shortHealthResponse), refTo(healthResponse)] } } };
  return {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Whether the service answers, and how far it has come; all of it on the operations listener',
        tags: ['service'],
        responses: {
          200: { description: 'Queries are answered.', headers: headersOf('x-request-id'), content: health },
          503: { description: 'Queries can not be answered.', headers: headersOf('x-request-id'), content: health },
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
    '/openapi.json': { get: describeGet('openapi', 'This description', JSON_TYPE, { type: 'object' }) },
    '/': { get: describeGet('status', 'What /health says, as a page', 'text/html', { type: 'string' }) },
    '/docs': { get: describeGet('docs', 'This description as a page', 'text/html', { type: 'string' }) },
  };
}

function describeGet(operationId: string, summary: string, mediaType: string, schema: JsonObject): Operation {
  return {
    operationId,
    summary,
    tags: ['service'],
    responses: {
      200: { description: 'Always.', headers: headersOf('x-request-id'), content: { [mediaType]: { schema } } },
    },
  };
}
