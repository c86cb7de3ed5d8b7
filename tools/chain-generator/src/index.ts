export { GENERATED_KEYS, USERS } from './block-content';
export type { ChainTraits } from './chain-traits';
export type { ExecutedAction, ExecutedTrace, GeneratedBlock, GeneratedTransaction } from './generated-block';
export { branchOf, generateChain, type GeneratedChain, type NodeStream } from './generated-chain';
export { legacyKey } from './keys';
export { generateOnblockChain } from './onblock-chain';
export { type ActionsRequest, sequencesOf } from './model/actions-model';
export { ChainModel, type CommittedState, type Expected, type Query } from './model/chain-model';
export { blockTime } from './model/node-json';
