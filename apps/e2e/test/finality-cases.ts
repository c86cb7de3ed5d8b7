import { ROUTES } from '@antelope-history/routes';
import type { ResponseOf } from '@antelope-history/schemas';
import { CheckedClient } from '../src';

const { getActions, getChainBlock, getBlockInfo, getTraceBlock, getTransaction } = ROUTES;
const FOREVER = 'public, max-age=31536000, immutable';

/** Declares the tests of the headers of final responses. `url` returns the URL of a gateway that serves leap-edge. */
export function describeFinality(url: () => string): void {
  let client: CheckedClient;
  let last: number;
  let head: number;
  beforeAll(async () => {
    client = new CheckedClient(url());
    const { json } = await client.post(getActions.path, {});
    ({ last_irreversible_block: last, head_block_num: head } = json as ResponseOf<typeof getActions>);
  });

  async function cachingOf(path: string, body: object): Promise<[string | null, string | null]> {
    const { status, headers } = await client.post(path, body);
    expect([path, body, status]).toEqual([path, body, 200]);
    return [headers.get('etag'), headers.get('cache-control')];
  }

  /** Every form in which a response about the block can be requested, with what its etag shows. */
  async function requestsAbout(num: number): Promise<[string, object, string][]> {
    const { json: block } = await client.post(getTraceBlock.path, { block_num: num });
    const { id, transactions } = block as { id: string; transactions: { id: string }[] };
    const transaction = transactions.at(-1)?.id ?? '';
    return [
      [getChainBlock.path, { block_num_or_id: num }, id],
      [getChainBlock.path, { block_num_or_id: String(num) }, id],
      [getChainBlock.path, { block_num_or_id: id.toUpperCase() }, id],
      [getBlockInfo.path, { block_num: num }, id],
      [getTraceBlock.path, { block_num: String(num) }, id],
      [getTraceBlock.path, { block_id: id }, id],
      [getTraceBlock.path, { block_num: 0, block_id: id.toUpperCase() }, id],
      [getTransaction.path, { id: transaction }, transaction],
      [getTransaction.path, { id: transaction.toUpperCase(), block_num_hint: num }, transaction],
      [getTransaction.path, { id: transaction, block_num_hint: 0 }, transaction],
      [getTransaction.path, { id: transaction, block_num_hint: last }, transaction],
    ];
  }

  it('marks responses up to the last irreversible block, and no later one, in every form of a request', async () => {
    expect(last).toBeLessThan(head);
    for (const num of [2, last - 1, last, last + 1, last + 2, head]) {
      for (const [path, request, id] of await requestsAbout(num)) {
        // Asked again, a response may come from the cache.
        for (let times = 0; times < 3; times++) {
          const expected = num <= last ? [`W/"${id}"`, FOREVER] : [null, null];
          expect([path, request, await cachingOf(path, request)]).toEqual([path, request, expected]);
        }
      }
    }
  }, 120_000);

  it('marks nothing that can still change: newest blocks, prefixes, hints of later blocks, lists, errors', async () => {
    const { json } = await client.post(getTraceBlock.path, { block_num: last });
    const id = (json as { transactions: { id: string }[] }).transactions[0]?.id ?? '';
    const changing: [string, object][] = [
      [getTraceBlock.path, { block_num: -1 }],
      [getTransaction.path, { id: id.slice(0, 32) }],
      [getTransaction.path, { id: id.slice(0, 63).toUpperCase() }],
      [getTransaction.path, { id, block_num_hint: last + 1 }],
      [getTransaction.path, { id, block_num_hint: 4294967295 }],
      [getActions.path, { before: last }],
      [ROUTES.getActionsByPosition.path, { account_name: 'alice', pos: 0, offset: 0 }],
      [ROUTES.getControlledAccounts.path, { controlling_account: 'alice' }],
      [ROUTES.getInfo.path, {}],
    ];
    for (const [path, request] of changing) {
      for (let times = 0; times < 3; times++) {
        expect([path, request, await cachingOf(path, request)]).toEqual([path, request, [null, null]]);
      }
    }
    const failing: [string, object][] = [
      [getTransaction.path, { id: 'f'.repeat(64) }],
      [getChainBlock.path, { block_num_or_id: head + 1 }],
      [getTraceBlock.path, { block_num: head + 1 }],
    ];
    for (const [path, request] of failing) {
      const { status, headers } = await client.post(path, request);
      expect([path, status >= 400, headers.get('etag'), headers.get('cache-control')]).toEqual([
        path,
        true,
        null,
        null,
      ]);
    }
  });
}
