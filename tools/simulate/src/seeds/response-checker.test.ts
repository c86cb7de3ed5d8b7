import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  branchOf,
  ChainModel,
  type CommittedState,
  generateChain,
  type Query,
} from '@antelope-history/chain-generator';
import { BlockOffers } from './block-offers';
import { FirstBlocks } from './first-blocks';
import { ResponseChecker } from './response-checker';

const QUERY: Query = { path: '/v1/history/get_actions', body: { offset: 50 } };

describe('ResponseChecker', () => {
  const chain = generateChain(1, { blocks: 60, texture: 'everything', forkPercent: 30, lag: 8, isSnapshot: false });
  const model = new ChainModel(chain);
  const branch = branchOf(chain.tip, chain.first);
  const orphan = chain.blocks.find((block) => !branch.includes(block))!;
  let server: Server;
  let response: { status: number; body: object };
  /** Requests that are answered with 503 before the response is given. */
  let refusals: number;
  let checker: ResponseChecker;
  let offers: BlockOffers;

  beforeEach(async () => {
    refusals = 0;
    server = createServer((_, outgoing) => {
      const { status, body } = refusals-- > 0 ? { status: 503, body: {} } : response;
      outgoing.writeHead(status).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    offers = new BlockOffers(chain);
    for (const block of branch) offers.holds(block);
    checker = checkerOf(0);
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  function checkerOf(retainBlocks: number): ResponseChecker {
    const firsts = new FirstBlocks({ chain, model, offers, retainBlocks });
    return new ResponseChecker(
      model,
      offers,
      firsts,
      () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
  }

  /** What a service in a state responds. */
  function respondAs(state: CommittedState, firstKept = 0): object {
    const expected = model.respond(QUERY, state, firstKept);
    if (expected.status !== 200) throw new Error('an error');
    const body = { ...expected.body, head_block_num: chain.tip.num, last_irreversible_block: 1 };
    response = { status: 200, body };
    return body;
  }

  it('takes the response of each state in turn', async () => {
    for (const state of [undefined, branch[3], branch[9], chain.tip]) {
      respondAs(state);
      await checker.check(QUERY);
    }
    expect(checker.violations).toEqual([]);
    expect(checker.checked).toBe(4);
  });

  it.each<[string, () => Promise<void>]>([
    [
      'of an earlier state',
      async () => {
        respondAs(chain.tip);
        await checker.check(QUERY);
        respondAs(branch[9]);
      },
    ],
    ['of a losing branch', async () => void respondAs(orphan)],
    [
      'that lacks a row',
      async () => {
        const { actions, ...rest } = respondAs(chain.tip) as { actions: object[] };
        response = { status: 200, body: { ...rest, actions: actions.slice(0, -1) } };
      },
    ],
    [
      'with a head that no node had',
      async () => {
        Object.assign(respondAs(chain.tip), { head_block_num: 1e6 });
      },
    ],
    ['with another status', async () => void (response = { status: 500, body: {} })],
  ])('reports a response %s', async (_, prepare) => {
    await prepare();
    await checker.check(QUERY);
    expect(checker.violations).toHaveLength(1);
    expect(checker.violations[0]?.query).toEqual(QUERY);
  });

  it('takes "unavailable" for no response', async () => {
    response = { status: 503, body: {} };
    await checker.check(QUERY);
    expect({ checked: checker.checked, unanswered: checker.unanswered, violations: checker.violations }).toEqual({
      checked: 0,
      unanswered: 1,
      violations: [],
    });
  });

  it('asks again when nothing changes any more and the service is unavailable', async () => {
    respondAs(chain.tip);
    refusals = 2;
    expect(await checker.checkAt(QUERY, chain.tip)).toBe(true);
    expect({ checked: checker.checked, unanswered: checker.unanswered, violations: checker.violations }).toEqual({
      checked: 1,
      unanswered: 2,
      violations: [],
    });
  });

  it('reports a response of an earlier state when nothing changes any more', async () => {
    respondAs(branch[9]);
    await checker.checkAt(QUERY, chain.tip);
    expect(checker.violations).toHaveLength(1);
  });

  describe('of a service that keeps its newest blocks', () => {
    const RETAINED = 10;
    const INFO: Query = { path: '/v1/chain/get_info', body: {} };
    const ALL: Query = { path: '/v1/history/get_actions', body: { offset: 1000, before: 9 } };
    const highest = Math.min(chain.tip.num - RETAINED + 1, chain.tip.lastIrreversible);

    const bodyOf = (query: Query, firstKept: number): object => {
      const expected = model.respond(query, chain.tip, firstKept);
      if (expected.status !== 200) throw new Error('an error');
      return expected.body;
    };

    async function violationsOf(responses: readonly [query: Query, body: object][]): Promise<number> {
      const retaining = checkerOf(RETAINED);
      for (const [query, body] of responses) {
        response = { status: 200, body };
        await retaining.check(query);
      }
      return retaining.violations.length;
    }

    it('takes responses whose first block rises', async () => {
      for (const first of [1, 3, 3, 7, highest]) {
        expect(
          await violationsOf([
            [ALL, bodyOf(ALL, first)],
            [INFO, bodyOf(INFO, first)],
          ]),
        ).toBe(0);
      }
    });

    it.each<[string, () => [query: Query, body: object][]]>([
      [
        'rows below a first block that was reported',
        () => [
          [INFO, bodyOf(INFO, 5)],
          [ALL, bodyOf(ALL, 4)],
        ],
      ],
      [
        'a first block below which rows are missing',
        () => [
          [ALL, bodyOf(ALL, 5)],
          [INFO, bodyOf(INFO, 4)],
        ],
      ],
      ['a first block above the kept ones', () => [[INFO, bodyOf(INFO, highest + 1)]]],
      [
        'rows of one first block and of another',
        () => {
          const { actions } = bodyOf(ALL, 4) as { actions: { block_num: number }[] };
          return [[ALL, { actions: actions.filter((row) => row.block_num !== 6), more: false }]];
        },
      ],
    ])('reports %s', async (_, responses) => {
      expect(await violationsOf(responses())).toBe(1);
    });
  });
});
