export { CHAIN_STATE_BYTES, peekBlocksResult } from './blocks-result';
export type { RecordedPosition, BlocksResult, ResultSection } from './blocks-result';
export {
  readAuthorizers,
  readChainBlocks,
  readHistoryAnswers,
  readTraceBlocks,
  readUsedAccounts,
} from './node-answers';
export type { Authorization, Authorizers, BlockAnswer, HistoryAnswer, NodeAnswer, UsedAccounts } from './node-answers';
export { createRecording, openRecording } from './recording';
export type { RecordedMessage, Recording } from './recording';
export { RecordingError } from './recording-error';
export { openSample, sampleFolder, SAMPLES } from './samples';
export type { SampleName } from './samples';
