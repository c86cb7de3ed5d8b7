import type { ChainStatus } from '@antelope-history/records';
import type { ResponseOf, RequestOf, Route } from '@antelope-history/schemas';
import type { Config } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import type { AbiReader } from './abi-reader';
import type { RequestWork } from './request-work';

/** What the endpoints of an app are made of. */
export interface EndpointContext {
  reader: HistoryReader;
  abis: AbiReader;
  config: Config['api'];
  /** Milliseconds since 1970. */
  now(): number;
}

export interface EndpointResponse<Body> {
  body: Body;
  /** There when the answer can no longer change: it may be cached for ever. */
  final?: FinalFacts | undefined;
}

/** Of an answer that can no longer change. */
export interface FinalFacts {
  /** Names the answer. */
  id: string;
  /** The irreversible block that it is about, or of. */
  blockNum: number;
  /** What the store said when it was made. */
  status: ChainStatus;
}

/** An endpoint without HTTP: a parsed request, and the work on it, to a response. */
export type Endpoint<R extends Route> = (
  request: RequestOf<R>,
  work: RequestWork,
) => Promise<EndpointResponse<ResponseOf<R>>>;
