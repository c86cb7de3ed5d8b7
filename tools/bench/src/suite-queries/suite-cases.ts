import type { Client, estypes } from '@elastic/elasticsearch';
import { ROUTES } from '@antelope-history/routes';

/** The search that a response needs, sent with the client that the service uses. */
export interface BareSearch {
  index: string;
  body: estypes.SearchRequest;
}

/** One kind of request, and the bare searches that its response needs, one after another. */
export interface SuiteCase {
  name: string;
  path: string;
  /** A request, a new one each time for the service where it keeps the responses of repeated ones. */
  next(side: 'service' | 'bare'): object;
  /**
   * Sends the bare searches for a request; the later ones may depend on what the earlier ones found. Undefined when the response
   * needs none.
   */
  bare?: (client: Client, request: object) => Promise<unknown[]>;
  /** What the response and the bare searches both tell. */
  factsOf(response: string): unknown;
  bareFacts(found: readonly unknown[]): unknown;
}

/** Where a case finds its rows: facts of the chain, equal for all layouts. */
export interface ChainFacts {
  prefix: string;
  blocksPerIndex: number;
  active: string;
  /** An account and a filter that few actions match, and the blocks of these. */
  sparse: { account: string; filter: string; blocks: readonly number[] };
  absent: string;
  /** The term of the key in the index of permissions, and the key. */
  key: { text: string; term: string };
  transactions: readonly { id: string; blockNum: number }[];
  /** The block with the newest row of the active account, and with the row at `deep`. */
  newestBlock: number;
  deep: { pos: number; blockNum: number; sequence: number };
}

const PAGE = 20;

interface Row {
  action_trace: { trx_id: string };
}

export function suiteCases(facts: ChainFacts): SuiteCase[] {
  const { active, sparse, absent, deep } = facts;
  const indexOf = (kind: string, blockNum: number): string => {
    const first = blockNum - (blockNum % facts.blocksPerIndex);
    return `${facts.prefix}-${kind}-${first.toString().padStart(10, '0')}`;
  };
  const actions = (name: string, request: object, search: BareSearch | undefined): SuiteCase => ({
    name,
    path: ROUTES.getActions.path,
    next: () => request,
    ...(search && { bare: async (client) => [await client.search({ index: search.index, ...search.body })] }),
    factsOf: (response) => (JSON.parse(response) as { actions: Row[] }).actions.map((row) => row.action_trace.trx_id),
    bareFacts: (found) =>
      (found as estypes.SearchResponse[])
        .flatMap(({ hits }) => hits.hits)
        .slice(0, PAGE)
        .map(({ fields }) => transactionIn((fields as { origin: [string] }).origin[0])),
  });
  const pageOf = (account: string, ...filters: estypes.QueryDslQueryContainer[]): estypes.SearchRequest => ({
    query: { bool: { filter: [{ term: { accounts: account } }, ...filters] } },
    sort: [{ sequence: 'desc' }],
    size: PAGE + 1,
    track_total_hits: false,
    _source: false,
    stored_fields: '_none_',
    docvalue_fields: ['origin', 'record', 'large_record'],
  });
  const sparseIndices = [...new Set(sparse.blocks.map((num) => indexOf('actions', num)))];
  return [
    actions(
      'get_actions, 20 rows',
      { account_name: active, pos: -1, offset: -PAGE },
      { index: indexOf('actions', facts.newestBlock), body: pageOf(active) },
    ),
    actions(
      `get_actions, pos ${deep.pos}`,
      { account_name: active, pos: deep.pos, offset: PAGE, sort: 'desc' },
      {
        index: indexOf('actions', deep.blockNum),
        body: pageOf(active, { range: { sequence: { lte: deep.sequence } } }),
      },
    ),
    actions(
      'get_actions, few rows',
      { account_name: sparse.account, filter: sparse.filter, pos: -1, offset: -PAGE },
      { index: sparseIndices.join(), body: pageOf(sparse.account, ...ofAction(sparse.filter)) },
    ),
    actions('get_actions, no rows', { account_name: absent, pos: -1, offset: -PAGE }, undefined),
    transactionCase(facts, indexOf),
    keyCase(facts),
  ];
}

/** The id of the transaction in the origin of an action (`action-origin.ts`). */
function transactionIn(origin: string): string {
  return Buffer.from(origin, 'base64').toString('hex', 48);
}

function ofAction(filter: string): estypes.QueryDslQueryContainer[] {
  const [contract = '', name = ''] = filter.split(':');
  return [{ term: { contract } }, { term: { name } }];
}

function transactionCase(facts: ChainFacts, indexOf: (kind: string, blockNum: number) => string): SuiteCase {
  const next = { service: 0, bare: 0 };
  const blockOf = new Map(facts.transactions.map(({ id, blockNum }) => [id, blockNum]));
  return {
    name: 'get_transaction',
    path: ROUTES.getTransaction.path,
    next: (side) => ({ id: facts.transactions[next[side]++ % facts.transactions.length]?.id }),
    async bare(client, request) {
      const { id } = request as { id: string };
      const blockNum = blockOf.get(id) ?? 0;
      const body = await client.search<{ block_num: number }>({
        index: indexOf('bodies', blockNum),
        query: { bool: { filter: [{ term: { transactions: indexedId(id) } }] } },
        size: 1,
        track_total_hits: false,
      });
      return [body, id];
    },
    factsOf: (response) => (JSON.parse(response) as { id: string }).id,
    bareFacts([body, id]) {
      const [hit] = (body as estypes.SearchResponse<{ block_num: number }>).hits.hits;
      return hit?._source?.block_num === blockOf.get(String(id)) ? id : undefined;
    },
  };
}

/** The part of a transaction's id that the indices have as a term (`id-terms.ts`). */
const indexedId = (id: string): string => id.slice(0, 32);

function keyCase({ prefix, key }: ChainFacts): SuiteCase {
  return {
    name: 'get_key_accounts',
    path: ROUTES.getKeyAccounts.path,
    next: () => ({ public_key: key.text }),
    bare: async (client) => [
      await client.search({
        index: `${prefix}-permissions`,
        query: { bool: { filter: [{ term: { keys: key.term } }] } },
        size: 1_000,
        track_total_hits: false,
        _source: false,
        docvalue_fields: ['owner'],
      }),
    ],
    factsOf: (response) => (JSON.parse(response) as { account_names: string[] }).account_names,
    bareFacts: ([found]) =>
      [
        ...new Set(
          (found as estypes.SearchResponse).hits.hits.map(({ fields }) => (fields as { owner: string[] }).owner[0]),
        ),
      ].sort(),
  };
}
