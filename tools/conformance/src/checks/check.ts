import type { RecordedChain } from '../recorded-chain';
import type { ServedRecording } from '../served-recording';
import type { Outcome } from '../tally';

/** Compares the responses of one endpoint on one recording. */
export type Check = (chain: RecordedChain, served: ServedRecording) => Promise<Outcome[]>;

/** Keeps the service busy without overloading two cores. */
export const REQUESTS_AT_A_TIME = 8;
