export * from './checked-client';
export * from './raw-connection';
export * from './settled-health';
