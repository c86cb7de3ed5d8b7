import { createHistoryApi } from '@antelope-history/query-api';
import { runApi } from '@antelope-history/run-api';

runApi({ name: 'history-api', section: 'historyApi', createApp: createHistoryApi });
