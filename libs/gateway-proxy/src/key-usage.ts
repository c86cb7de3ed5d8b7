import type { RequestHandler } from 'express';
import { counter, endpointOf, type Registry } from '@antelope-history/app-runtime';
import { keyNameOf } from './client';

/**
 * Keys beyond this number are counted together: each name is a time series of the metric, and the key-value store may have any
 * number of keys.
 */
const MAX_KEYS = 1_000;
const OTHER_KEYS = 'others';

/** Counts requests by the name of the API key and by endpoint. */
export function countKeyUsage(registry: Registry): RequestHandler {
  const requests = counter(registry, {
    name: 'history_gateway_key_requests_total',
    help: 'Requests with an API key, by the name of the key and by endpoint',
    labelNames: ['key', 'endpoint'],
  });
  const known = new Set<string>();
  return (_request, response, next) => {
    response.once('close', () => {
      const name = keyNameOf(response);
      if (name === undefined) return;
      if (known.size < MAX_KEYS) known.add(name);
      requests.inc({ key: known.has(name) ? name : OTHER_KEYS, endpoint: endpointOf(response) });
    });
    next();
  };
}
