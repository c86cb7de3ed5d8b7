import { type ApiDeps, createApi, createResponders, type HttpApp, type Respond } from '@antelope-history/endpoint-kit';
import { TRACE_ROUTES } from '@antelope-history/trace-routes';
import { createGetBlock } from './get-block';

const NAME = 'trace-api';
const ENDPOINTS = { getTraceBlock: createGetBlock };

/** The app of `/v1/trace_api`: blocks with their traces, in the JSON of a node's trace plugin. */
export function createTraceApi(deps: ApiDeps): HttpApp {
  return createApi(NAME, TRACE_ROUTES, ENDPOINTS, deps);
}

/** The same endpoints without HTTP, by path. */
export function createTraceResponders(deps: ApiDeps): Map<string, Respond> {
  return createResponders(NAME, TRACE_ROUTES, ENDPOINTS, deps);
}
