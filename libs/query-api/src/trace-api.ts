import type { Express } from 'express';
import { ROUTES } from '@antelope-history/schemas';
import { createGetTraceBlock } from './endpoints/get-trace-block';
import { createQueryApp, type QueryApiDeps, serve } from './query-app';

/** `/v1/trace_api/get_block`. */
export function createTraceApi(deps: QueryApiDeps): Express {
  return createQueryApp('trace-api', deps, [serve(ROUTES.getTraceBlock, createGetTraceBlock, { mayBeFinal: true })]);
}
