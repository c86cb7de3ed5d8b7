import { createTraceApi } from '@antelope-history/query-api';
import { runApi } from '@antelope-history/run-api';

runApi({ name: 'trace-api', section: 'traceApi', createApp: createTraceApi });
