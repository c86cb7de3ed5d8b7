import { createChainApi } from '@antelope-history/query-api';
import { runApi } from '@antelope-history/run-api';

runApi({ name: 'chain-api', section: 'chainApi', createApp: createChainApi });
