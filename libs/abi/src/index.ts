export * from './abi-decoder';
export {
  parseAbi,
  parseAbiJson,
  MAX_ABI_BYTES,
  type AbiDefinition,
  type AbiField,
  type AbiStruct,
} from './abi-definition';
export { ByteReader } from './byte-reader';
export { DecodeAllowance, DEFAULT_DECODE_LIMITS, type DecodeLimits } from './decode-budget';
export { isName, nameFromString, nameToSortableBytes, readName, writeName } from './name';
export { parsePublicKey, publicKeyToPubString, publicKeyToString, readPublicKey } from './public-key';
export { readSignature, signatureToString } from './signature';
export { blockTimestampToMs, blockTimestampToString, timePointSecToString, timePointToString } from './time';
export { createTypeResolver, type ResolvedField, type ResolvedType } from './type-resolver';
export { utf8ToString } from './utf8';
