export { type Deserializer, type DeserializerDependencies, startDeserializer } from './deserializer';
export * from './deserializer-health';
