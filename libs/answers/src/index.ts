export { createAbiDecoders, type AbiDecoders } from './abi-decoders';
export { abisOfActions, renderActions } from './actions-answer';
export { abisOfBlock, renderBlock } from './chain-block-answer';
export { abisOfBlockTraces, renderBlockTraces, type StoredBlockTraces } from './trace-block-answer';
export { abisOfTransaction, renderTransaction } from './transaction-answer';
export { RESPONSE_LIMITS, ResponseBudget, type ResponseLimits } from './response-budget';
