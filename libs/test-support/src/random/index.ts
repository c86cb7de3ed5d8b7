export { breakAbi } from './broken-abi';
export {
  type AbiOptions,
  generateAbi,
  type GeneratedAbi,
  type GeneratedStruct,
  packGeneratedAbi,
} from './generated-abi';
export { generateData, type GeneratedData } from './generated-data';
export { mutate } from './mutate';
export { createRandom, pick, type Random } from './random';
export { testSize } from './test-size';
