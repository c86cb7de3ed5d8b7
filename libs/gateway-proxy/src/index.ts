export * from './gateway';
export type { ReadComponent } from './gateway-health';
export { createGatewayOperations } from './gateway-pages';
export type { LocalApis, LocalResponder, LocalResponse } from './local-apis';
