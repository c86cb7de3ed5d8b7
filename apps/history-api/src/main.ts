import { createHistoryApi } from '@antelope-history/history-endpoints';
import { runApi } from '@antelope-history/run-api';

runApi({ name: 'history-api', section: 'historyApi', createApp: createHistoryApi });
