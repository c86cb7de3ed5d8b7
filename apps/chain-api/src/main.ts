import { createChainApi } from '@antelope-history/chain-endpoints';
import { runApi } from '@antelope-history/run-api';

runApi({ name: 'chain-api', section: 'chainApi', createApp: createChainApi });
