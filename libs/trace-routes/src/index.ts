export type { GetTraceBlockRequest, GetTraceBlockResponse } from './get-block';
export * from './trace-routes';
