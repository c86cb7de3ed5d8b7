export * from './gateway';
export type { ReadComponent } from './gateway-health';
