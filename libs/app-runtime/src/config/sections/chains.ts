import { z } from 'zod';
import { httpUrlList, keyPrefix, takesHttpUrls } from './field-types';
import { OWN_PATHS } from './own-paths';

/** No chain can have such a name. Requests to `v2`, where other history services have their paths, must not reach a chain. */
const RESERVED = [...OWN_PATHS, 'v2'];
/** Each chain has its own routes and connections, and is asked for its state every ten seconds. */
const MAX_CHAINS = 64;

const apiUrls = (name: string) =>
  httpUrlList.meta(takesHttpUrls).describe(`Address of the chain's ${name}; several instances share the requests.`);

const hostName = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/)
  .meta({ takes: 'a host name in lower case, without port' });

/** One of several chains behind a gateway. Only the configuration file can name them: a variable has no place for the name. */
const chain = z.strictObject({
  hosts: z
    .array(hostName)
    .max(64)
    .default([])
    .describe('Host names under which all paths belong to the chain, besides the paths that begin with its name.'),
  history_api_url: apiUrls('history-api'),
  chain_api_url: apiUrls('chain-api'),
  trace_api_url: apiUrls('trace-api'),
  chain_node_url: httpUrlList
    .optional()
    .meta(takesHttpUrls)
    .describe('As `gateway.chain_node_url`. The APIs of the chain read it from their own configuration.'),
  chain_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ takes: '64 lowercase hex digits' })
    .optional()
    .describe('Id of the chain; while its APIs serve another one, requests receive 503. Default: any.'),
  key_prefix: keyPrefix
    .optional()
    .describe("`key_value.redis.key_prefix` of the chain's processes, whose state is read there. Default: the name."),
});

/** Chains by name: the first segment of their paths. */
export const chains = z
  .record(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/)
      .refine((name) => !RESERVED.includes(name)),
    chain,
  )
  .refine((named) => Object.keys(named).length > 0 && Object.keys(named).length <= MAX_CHAINS)
  .meta({
    takes: `an object of the following keys; names: up to 32 of a-z, 0-9 and -, none of ${RESERVED.join(', ')}; at most ${MAX_CHAINS}`,
  });
