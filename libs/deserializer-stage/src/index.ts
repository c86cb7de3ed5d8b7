export * from './deserializer';
