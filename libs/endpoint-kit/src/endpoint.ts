import type { RequestOf, ResponseOf, Route } from '@antelope-history/schemas';
import type { Config } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';
import type { AbiReader } from './abi-reader';
import type { RequestWork } from './request-work';

/** What the endpoints of an app share. */
export interface EndpointContext {
  reader: HistoryReader;
  abis: AbiReader;
  config: Config['api'];
  /** Milliseconds since 1970. */
  now(): number;
}

export interface EndpointResponse<Body> {
  body: Body;
  /** Present when the response can no longer change; ignored unless the route is cacheable. */
  final?: FinalFacts | undefined;
}

/** Facts about a response that can no longer change. */
export interface FinalFacts {
  /** Id of the block or transaction that the response shows; the client gets it as `etag`. */
  id: string;
  /** Number of the irreversible block that the response shows or that contains its transaction. */
  blockNum: number;
  /** Chain status at the time of the response. */
  status: ChainStatus;
}

/** The filters on action data of a request, by their names, e.g. `transfer.to`, as they were sent. */
export type SentDataFilters = ReadonlyMap<string, unknown>;

/**
 * An endpoint without HTTP: turns a parsed request into a response, within the budget and the turns of `work`. `dataFilters` is
 * empty unless the route has `filtersData`.
 */
export type Endpoint<R extends Route> = (
  request: RequestOf<R>,
  work: RequestWork,
  dataFilters: SentDataFilters,
) => Promise<EndpointResponse<ResponseOf<R>>>;

export type CreateEndpoint<R extends Route> = (context: EndpointContext) => Endpoint<R>;
