import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { branchOf, ChainModel, generateChain, type GeneratedBlock } from '@antelope-history/chain-generator';
import { BlockOffers } from './block-offers';
import { FirstBlocks } from './first-blocks';
import { StreamClient, type StreamRequest } from './stream-client';

type Event = [type: 'action' | 'fork' | 'head' | 'irreversible', fact: object];

describe('StreamClient', () => {
  const chain = generateChain(1, { blocks: 60, texture: 'everything', forkPercent: 30, lag: 8, isSnapshot: false });
  const model = new ChainModel(chain);
  const branch = branchOf(chain.tip, chain.first);
  const orphan = chain.blocks.find((block) => !branch.includes(block))!;
  const ancestor = orphan.parent!;
  const REQUEST: StreamRequest = { after: chain.first.num + 1 };
  let server: Server;
  /** What the service sends to a client that has processed no event. */
  let events: Event[];
  /** The number of events after which the service no longer has what follows, and what it sends to a client that begins again. */
  let removal: { after: number; events: Event[] } | undefined;
  let retainBlocks: number;

  beforeEach(async () => {
    [removal, retainBlocks] = [undefined, 0];
    server = createServer((request, response) => {
      if (removal && request.headers['last-event-id'] !== undefined) {
        ({ events } = removal);
        removal = undefined;
        response.writeHead(410).end();
        return;
      }
      response.writeHead(200);
      const from = Number(request.headers['last-event-id'] ?? -1) + 1;
      for (const [index, [type, fact]] of events.entries()) {
        if (index >= from && index < (removal?.after ?? Infinity))
          response.write(`event: ${type}\nid: ${index}\ndata: ${JSON.stringify(fact)}\n\n`);
      }
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const rows = (earlier: GeneratedBlock | undefined, last: GeneratedBlock): Event[] =>
    model.rowsAfter(earlier, last, REQUEST).map((row): Event => ['action', row]);
  const at = (type: 'fork' | 'head' | 'irreversible', { num, id }: GeneratedBlock): Event => [
    type,
    { block_num: num, block_id: id },
  ];

  /** Reads the events over server-sent events, with connections that end at any of them. */
  async function read(more: Partial<StreamRequest> = {}): Promise<StreamClient> {
    const offers = new BlockOffers(chain);
    for (const block of chain.blocks) offers.holds(block);
    // Connections of 21 events, to which clients are not restored from a backup, over server-sent events.
    const draws = new Map([
      [120, 20],
      [6, 1],
    ]);
    const random = (limit: number): number => draws.get(limit) ?? 0;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const firsts = new FirstBlocks({ chain, model, offers, retainBlocks });
    const client = new StreamClient({ ...REQUEST, ...more }, { model, offers, firsts, url, random });
    const run = client.run();
    for (let polls = 0; polls < 500 && client.faults.length === 0 && !client.hasAllOf(chain.tip); polls++)
      await sleep(5);
    client.stop();
    await run;
    return client;
  }

  it('has no fault when all rows of each head come, also after a fork', async () => {
    events = [
      ...rows(undefined, orphan),
      at('head', orphan),
      at('fork', ancestor),
      ...rows(ancestor, chain.tip),
      at('irreversible', ancestor),
      at('head', chain.tip),
    ];
    const client = await read();
    expect(client.faults).toEqual([]);
    expect(client.compared).toBe(2);
  });

  it.each<[string, string, () => Event[], Partial<StreamRequest>]>([
    ['a row that is missing', 'expected', () => [...rows(undefined, chain.tip).slice(1), at('head', chain.tip)], {}],
    [
      'a row that comes twice',
      'expected',
      () => [...rows(undefined, chain.tip).slice(0, 1), ...rows(undefined, chain.tip), at('head', chain.tip)],
      {},
    ],
    [
      'the rows of another branch',
      'expected',
      () => [...rows(undefined, orphan), ...rows(orphan, chain.tip), at('head', chain.tip)],
      {},
    ],
    [
      'a change of the branch without a fork',
      'no fork was sent',
      () => [...rows(undefined, orphan), at('head', orphan), ...rows(ancestor, chain.tip), at('head', chain.tip)],
      {},
    ],
    ['a head that no node has had', 'no node', () => [['head', { block_num: 3, block_id: 'f'.repeat(64) }]], {}],
    [
      'a fork below an irreversible block',
      'was irreversible',
      () => [...rows(undefined, orphan), at('irreversible', ancestor), at('fork', ancestor.parent!)],
      {},
    ],
    [
      'an irreversible block that is named twice',
      'was irreversible',
      () => [at('irreversible', ancestor), at('irreversible', ancestor)],
      {},
    ],
    [
      'a fork of irreversible blocks',
      'irreversible blocks forks',
      () => [at('fork', ancestor)],
      { irreversible_only: true },
    ],
  ])('reports %s', async (_, reason, send, more) => {
    events = send();
    const { faults } = await read(more);
    expect(faults.map((fault) => fault.reason)).toEqual([expect.stringContaining(reason)]);
  });

  describe('of a service that keeps its newest blocks', () => {
    const FIRST = chain.tip.lastIrreversible - 5;
    const kept = (first: number): Event[] =>
      model.rowsAfter(undefined, chain.tip, REQUEST, first).map((row): Event => ['action', row]);

    beforeEach(() => {
      retainBlocks = 5;
      events = [...rows(undefined, chain.tip), at('head', chain.tip)];
    });

    it('begins again when blocks after its last event are removed, with the rows of those that are left', async () => {
      removal = { after: 3, events: [...kept(FIRST), at('head', chain.tip)] };
      const client = await read();
      expect(client.faults).toEqual([]);
      expect(client.compared).toBe(1);
    });

    it.each<[string, string, () => void]>([
      [
        'a row that is missing of the blocks that are left',
        'expected',
        () => (removal = { after: 3, events: [...kept(FIRST).toSpliced(1, 1), at('head', chain.tip)] }),
      ],
      [
        'a beginning above the blocks that are kept',
        'expected',
        () => (removal = { after: 3, events: [...kept(chain.tip.num - 3), at('head', chain.tip)] }),
      ],
      [
        'that blocks are removed which are kept',
        'cannot have been removed',
        () => {
          retainBlocks = 0;
          removal = { after: 3, events: [...kept(FIRST), at('head', chain.tip)] };
        },
      ],
    ])('reports %s', async (_, reason, prepare) => {
      prepare();
      const { faults } = await read();
      expect(faults.map((fault) => fault.reason)).toEqual([expect.stringContaining(reason)]);
    });
  });
});
