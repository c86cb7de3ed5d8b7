import { runApi } from '@antelope-history/run-api';
import { createTraceApi } from '@antelope-history/trace-endpoints';

runApi({ name: 'trace-api', section: 'traceApi', createApp: createTraceApi });
