import type { RouteTable } from '@antelope-history/schemas';
import { getTraceBlock } from './get-block';

/** `/v1/trace_api`: blocks with their traces, in the JSON of a node's trace plugin. */
export const TRACE_ROUTES = { getTraceBlock } as const satisfies RouteTable;
