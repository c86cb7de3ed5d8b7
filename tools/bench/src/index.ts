export { measureDecoding, type DecodingFigures } from './decoding';
