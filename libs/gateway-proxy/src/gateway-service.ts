import type { HttpApp, HttpRoute } from '@antelope-history/app-runtime';
import { createChainsGateway, type ChainsGatewayDeps } from './chains/chains-gateway';
import { createGateway } from './gateway';
import { createGatewayOperations } from './gateway-pages';
import { GatewayStatus } from './status/gateway-status';

/** What a gateway process serves. */
export interface GatewayService {
  /** The HTTP app for clients. */
  app: HttpApp;
  /** The pages of the operations listener. */
  operations: HttpRoute[];
  /** The status of the chain, or of each of several chains. A status takes samples between its `start` and `stop`. */
  statuses: GatewayStatus[];
}

export type GatewayServiceDeps = Omit<ChainsGatewayDeps, 'chains'>;

/**
 * The gateway of one chain, or of those that `gateway.chains` names. Throws `CONFIG_INVALID` when a file that the
 * configuration names cannot be opened.
 */
export function createGatewayService(deps: GatewayServiceDeps): GatewayService {
  const { chains } = deps.config.gateway;
  if (chains !== undefined) return createChainsGateway({ ...deps, chains });
  const status = new GatewayStatus(deps);
  return {
    app: createGateway({ ...deps, status }),
    operations: createGatewayOperations({ ...deps, status }),
    statuses: [status],
  };
}
