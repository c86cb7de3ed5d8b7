export * from './gateway';
export type { ReadComponent } from './gateway-health';
export { createGatewayOperations } from './gateway-pages';
