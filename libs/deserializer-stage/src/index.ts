export type { VerifiedBlocks } from './block-verifier';
export { type Deserializer, type DeserializerDependencies, startDeserializer } from './deserializer';
export * from './deserializer-health';
