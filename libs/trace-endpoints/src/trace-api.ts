import type { Express } from 'express';
import { type ApiDeps, createApi } from '@antelope-history/endpoint-kit';
import { TRACE_ROUTES } from '@antelope-history/trace-routes';
import { createGetBlock } from './get-block';

/** The app of `/v1/trace_api`: blocks with their traces, in the JSON of a node's trace plugin. */
export function createTraceApi(deps: ApiDeps): Express {
  return createApi('trace-api', TRACE_ROUTES, { getTraceBlock: createGetBlock }, deps);
}
