import { type RouteKey, ROUTES } from '@antelope-history/routes';
import { readChainFacts } from './chain-facts';

/** A POST of an honest client. */
export interface HonestRequest {
  path: string;
  body: string;
  /** Value of the header `Accept-Encoding`; undefined for a request without it. */
  acceptEncoding?: string | undefined;
}

const REQUESTS_PER_FORM = 25;
const CODINGS = [undefined, 'gzip', 'br', 'deflate'];

/** Each request without `Accept-Encoding` and with each content coding: compressed responses take another path. */
export function inAllCodings(requests: readonly HonestRequest[]): HonestRequest[] {
  return requests.flatMap((each) => CODINGS.map((acceptEncoding) => ({ ...each, acceptEncoding })));
}

/**
 * Requests as programs send them: the example of every endpoint of `ROUTES`, and others with responses of a few bytes to a
 * few hundred KiB.
 */
export function createHonestRequests(sample: string): HonestRequest[] {
  const { names, keys, blockIds, transactionIds } = readChainFacts(sample);
  const some = <T>(values: readonly T[]): T[] =>
    values.filter((_, at) => at % Math.ceil(values.length / REQUESTS_PER_FORM) === 0);
  const blockNum = (id: string): number => Number.parseInt(id.slice(0, 8), 16);
  const make = (key: RouteKey, bodies: object[]): HonestRequest[] =>
    bodies.map((body) => ({ path: ROUTES[key].path, body: JSON.stringify(body) }));
  return [
    ...Object.values(ROUTES).map(({ path, example }) => ({ path, body: JSON.stringify(example.request) })),
    ...make(
      'getActions',
      some(names).map((account_name) => ({ account_name })),
    ),
    ...make(
      'getActions',
      some(names).map((account_name, pos) => ({ account_name, pos, offset: 5, filter: '*:transfer' })),
    ),
    ...make(
      'getActions',
      some(blockIds).map((id) => ({ sort: 'asc', after: String(blockNum(id)), offset: 10 })),
    ),
    ...make(
      'getTransaction',
      some(transactionIds).map((id) => ({ id })),
    ),
    ...make('getTransaction', [{ id: '00'.repeat(32) }]),
    ...make(
      'getKeyAccounts',
      some(keys).map((public_key) => ({ public_key })),
    ),
    ...make(
      'getControlledAccounts',
      some(names).map((controlling_account) => ({ controlling_account })),
    ),
    ...make(
      'getChainBlock',
      some(blockIds).map((block_num_or_id) => ({ block_num_or_id })),
    ),
    ...make('getChainBlock', [{ block_num_or_id: 'no block' }]),
    ...make(
      'getTraceBlock',
      some(blockIds).map((id) => ({ block_num: blockNum(id) })),
    ),
  ];
}

/** A request with a response just small enough for the gateway to write it at once (512 KiB); in parts when compressed. */
export const NEXT_LARGEST_REQUEST: HonestRequest = {
  path: ROUTES.getActions.path,
  body: JSON.stringify({ offset: 320 }),
};

/** The request with the largest response. */
export const LARGEST_REQUEST: HonestRequest = {
  path: ROUTES.getActions.path,
  body: JSON.stringify({ offset: 1000 }),
};
