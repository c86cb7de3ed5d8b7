import { z } from 'zod';
import { host, port } from './field-types';

export const apiServer = (fallbackPort: number) =>
  z.strictObject({ host: host('127.0.0.1'), port: port('Port for the gateway.').default(fallbackPort) });
const opsPort = (meaning: string) => port(meaning).optional();
export const ops = z.strictObject({
  host: host('127.0.0.1'),
  gateway_port: opsPort(
    'Port of the operations listener (/live, /health, /metrics, / and /docs) of the gateway and of the standalone app; ' +
      'without it there is no such listener.',
  ),
  history_api_port: opsPort('Port of the operations listener (/live, /health and /metrics) of history-api.'),
  chain_api_port: opsPort('The same for chain-api.'),
  trace_api_port: opsPort('The same for trace-api.'),
  reader_port: opsPort('The same for the reader.'),
  deserializer_port: opsPort('The same for the deserializer.'),
  indexer_port: opsPort('The same for the indexer.'),
});
