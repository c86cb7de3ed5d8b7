import type { AnswerOf, RequestOf, Route } from '@antelope-history/schemas';
import type { Config } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import type { AbiReader } from './abi-reader';

/** What the endpoints of an app are made of. */
export interface EndpointContext {
  reader: HistoryReader;
  abis: AbiReader;
  config: Config['api'];
  /** Milliseconds since 1970. */
  now(): number;
}

export interface EndpointAnswer<Body> {
  body: Body;
  /** Names the answer when it can no longer change: it may be cached for ever. */
  finalId?: string | undefined;
}

/** An endpoint without HTTP: a parsed request to an answer. */
export type Endpoint<R extends Route> = (request: RequestOf<R>) => Promise<EndpointAnswer<AnswerOf<R>>>;
