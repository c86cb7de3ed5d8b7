export { type BlockDeserializer, type BlockDeserializerOptions, createBlockDeserializer } from './block-deserializer';
export { type Deserializer, type DeserializerDependencies, startDeserializer } from './deserializer';
export * from './deserializer-health';
