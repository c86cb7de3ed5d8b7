import type { RequestHandler } from 'express';
import type { KeyValue } from '@antelope-history/key-value';
import type { Config, LargeBodies, Logger, ObserveRefusal, Registry } from '@antelope-history/app-runtime';
import { createAccessLog } from './access-log';
import { createApiKeys } from './api-keys';
import { identifyClient } from './client';
import { countKeyUsage } from './key-usage';
import { createLargeBodies } from './limits/large-bodies';
import { createStreamLimiter } from './limits/limit-streams';
import { steadyClock, wallClock } from './clocks';
import { workLimiters } from './limits/limit-work';
import { createRateLimit } from './rate-limit';

export interface ClientHandlersDeps {
  config: Pick<Config, 'api' | 'gateway'>;
  /** Counts the requests of all gateways together. */
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** Milliseconds since 1970, in the place of both clocks, for tests. */
  now?: () => number;
}

/**
 * The handlers that log, identify and limit the clients of requests. The chains of a gateway share them, so that the limits of a
 * client apply to all chains together.
 */
export interface ClientHandlers {
  /** Log and count every request. */
  observe: RequestHandler[];
  observeRefusal?: ObserveRefusal;
  /** Identify the client and apply its rate limits. */
  identify: RequestHandler[];
  limitStreams: RequestHandler;
  /** The bodies for chain nodes that are larger than those for the service's own endpoints. */
  largeBodies: LargeBodies;
  /**
   * Creates the limiter of the requests to the APIs of one chain, or to its nodes. Each has its own, so that upstreams that hang do
   * not delay requests to others. `share`: its part of the chain's limits on memory.
   */
  createWorkLimiter(share: number): RequestHandler;
}

/**
 * `chains`: the number of chains that share the limits on memory. Throws `CONFIG_INVALID` when the file of API keys or of the access log
 * cannot be opened.
 */
export function createClientHandlers(deps: ClientHandlersDeps, chains = 1): ClientHandlers {
  const { config, keyValue, log, registry, now } = deps;
  const apiKeys = createApiKeys({ config, keyValue, log, now: now ?? steadyClock });
  const accessLog = createAccessLog(config);
  const createWorkLimiter = workLimiters(config.gateway, registry);
  return {
    observe: [...(accessLog ? [accessLog.observe] : []), ...(apiKeys ? [countKeyUsage(registry)] : [])],
    ...(accessLog && { observeRefusal: accessLog.observeRefusal }),
    identify: [identifyClient(config, apiKeys), createRateLimit({ keyValue, registry, now: now ?? wallClock })],
    limitStreams: createStreamLimiter(config.gateway.maxStreamsPerClient),
    largeBodies: createLargeBodies(config.gateway.nodeBodyLimitBytes),
    createWorkLimiter: (share) => createWorkLimiter(share / chains),
  };
}
