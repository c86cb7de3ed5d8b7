import { createAbiReader, LargeResponses } from '@antelope-history/endpoint-kit';
import { Registry } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import type { ActionsQuery } from '@antelope-history/store';
import { type BlockPlan, ModelHistory, SyntheticChain } from '@antelope-history/store/contract';
import { ActionStream } from '../src/stream/action-stream';
import { parseCursor } from '../src/stream/stream-cursor';
import { EVERYTHING, ModelHead } from './stream-fixture';

/** A block with one action. */
const PLAN: BlockPlan = {
  transactions: [
    [{ account: 'token', name: 'transfer', actor: 'alice', creatorDistance: 0, dataBytes: 8, notified: [] }],
  ],
  abis: [],
  permissions: [],
};

describe('a stream that catches up', () => {
  it('names irreversible blocks in its cursors', async () => {
    const chain = new SyntheticChain();
    const old = chain.blocks(
      undefined,
      Array.from({ length: 40 }, () => PLAN),
    );
    const irreversible = old[29]?.position;
    const model = ModelHistory.of([...old, ...chain.blocks(old.at(-1), [PLAN], irreversible)]);
    const abis = createAbiReader(model, new Registry(), 'test');
    const deps = { reader: model, abis, head: new ModelHead(model), largeResponses: new LargeResponses() };
    const cursor = { block: old[9]!.position, sequence: undefined, irreversibleNum: old[4]!.position.num };
    const named: [type: string, irreversibleNum: number][] = [];
    for await (const event of new ActionStream(deps, EVERYTHING, new AbortController().signal).events(cursor)) {
      named.push([event.type, parseCursor('id', event.id).irreversibleNum]);
      if (event.type === 'head') break;
    }
    const last = irreversible?.num ?? 0;
    const ofActions = Array.from({ length: 31 }, (_, index) => Math.min(cursor.block.num + 1 + index, last - 1));
    expect(named).toEqual([...ofActions.map((num) => ['action', num]), ['irreversible', last], ['head', last]]);
  });

  it('searches fewer blocks at once where the store refuses to search many', async () => {
    const chain = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 40 }, () => PLAN),
    );
    const model = ModelHistory.of(chain);
    let refused = 0;
    const reader = Object.assign(Object.create(model) as ModelHistory, {
      getActions: (query: ActionsQuery) => {
        const [after, before] = [query.after, query.before].map((bound) =>
          bound && 'blockNum' in bound ? bound.blockNum : 0,
        );
        if ((before ?? 0) - Math.max(after ?? 0, 100) < 3) return model.getActions(query);
        refused++;
        return Promise.reject(new HistoryError('QUERY_TOO_BROAD', 'for the test'));
      },
    });
    const abis = createAbiReader(reader, new Registry(), 'test');
    const deps = { reader, abis, head: new ModelHead(model), largeResponses: new LargeResponses() };
    const blocks: number[] = [];
    for await (const event of new ActionStream(deps, EVERYTHING, new AbortController().signal).events(undefined)) {
      if (event.type === 'head') break;
      if (event.type === 'action') blocks.push((JSON.parse(event.row) as { block_num: number }).block_num);
    }
    expect(blocks).toEqual(chain.map(({ position }) => position.num));
    expect(refused).toBeGreaterThan(3);
  });
});
