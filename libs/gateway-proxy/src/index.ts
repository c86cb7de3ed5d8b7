export * from './gateway';
export type { ReadComponent } from './gateway-health';
export { createGatewayOperations } from './gateway-pages';
export { createGatewayService, type GatewayService, type GatewayServiceDeps } from './gateway-service';
export { GatewayStatus, type GatewayStatusDeps } from './status/gateway-status';
export type { LocalApis, LocalResponder, LocalResponse, RequestBody } from './local-apis';
