export { CHAIN_STATE_BYTES, peekBlocksResult } from './blocks-result';
export type { RecordedPosition, BlocksResult, ResultSection } from './blocks-result';
export {
  readAuthorizers,
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  readUsedAccounts,
} from './node-responses';
export type {
  Authorization,
  Authorizers,
  BlockResponse,
  HistoryResponse,
  NodeResponse,
  UsedAccounts,
} from './node-responses';
export { packVaruint } from '../random/packed-bytes';
export { emptyBlocks, positionOf } from './made-blocks';
export { createRecording, openRecording, V1_MESSAGES_FILE } from './recording';
export type { RecordedMessage, Recording } from './recording';
export { RecordingError } from './recording-error';
export { openSample, sampleFolder, SAMPLES } from './samples';
export type { SampleName } from './samples';
