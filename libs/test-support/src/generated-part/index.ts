export { GeneratedPart } from './generated-part';
