import type { Express } from 'express';
import { ROUTES } from '@antelope-history/routes';
import { createGetTraceBlock } from './endpoints/get-trace-block';
import { createApi, type ApiDeps, serve } from './create-api';

/** `/v1/trace_api/get_block`. */
export function createTraceApi(deps: ApiDeps): Express {
  return createApi('trace-api', deps, [serve(ROUTES.getTraceBlock, createGetTraceBlock, { mayBeFinal: true })]);
}
