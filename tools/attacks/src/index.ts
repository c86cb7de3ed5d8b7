export { type ChainFacts, readChainFacts } from './chain-facts';
export * from './fuzz';
export * from './hostile-chain';
export * from './load';
