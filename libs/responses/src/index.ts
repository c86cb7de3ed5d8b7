export { createAbiDecoders, type AbiDecoders } from './abi-decoders';
export { abisOfActions, renderActions, type StoredActionsPage } from './actions-response';
export { abisOfBlock, renderBlock } from './chain-block-response';
export { abisOfBlockTraces, renderBlockTraces, type StoredBlockTraces } from './trace-block-response';
export { abisOfTransaction, renderTransaction } from './transaction-response';
export { RESPONSE_LIMITS, ResponseBudget, type ResponseLimits } from './response-budget';
