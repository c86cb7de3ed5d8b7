export { mutate } from './mutate';
export { createRandom, type Random } from './random';
