import {
  ApiClient,
  createApiDeps,
  describeResponseCache,
  FINAL_CACHE_CONTROL,
  findFinalBlock,
  openSampleReader,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import type { BlockSelector, SearchPause } from '@antelope-history/store';
import { TRACE_ROUTES } from '@antelope-history/trace-routes';
import { readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { createTraceApi } from '../src';

const client = new ApiClient(TRACE_ROUTES);

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

describe('trace_api get_block', () => {
  const route = TRACE_ROUTES.getTraceBlock;

  it('responds by number and by id; the id takes precedence', async () => {
    const app = createTraceApi(createApiDeps(sample));
    const recorded = [...readTraceBlocks(sampleFolder('leap-edge'))].find(({ blockNum }) => blockNum === 100);
    const byNumber = await client.post(app, route, { block_num: 100 });
    expect(byNumber.body).toMatchObject({
      id: (JSON.parse(recorded?.body ?? '') as { id: string }).id,
      number: 100,
      status: 'irreversible',
    });
    expect(byNumber.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': FINAL_CACHE_CONTROL,
    });
    const { id } = byNumber.body;
    for (const body of [
      { block_id: id },
      { block_id: id.toUpperCase(), block_num: 5 },
      { block_id: id, block_num: -7 },
    ]) {
      expect((await client.post(app, route, body)).text).toBe(byNumber.text);
    }
  });

  it('counts a long read in its cost, as a large response', async () => {
    const largeResponses = { enter: jest.fn(() => Promise.resolve()), leave: () => undefined };
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      async getBlockTraces(selector: BlockSelector, pause: SearchPause) {
        await pause(300_000);
        expect(largeResponses.enter).toHaveBeenCalledTimes(1);
        return sample.getBlockTraces(selector);
      },
    });
    const app = createTraceApi({ ...createApiDeps(reader), largeResponses });
    const { status, headers } = await client.post(app, route, { block_num: 100 });
    expect([status, headers['x-request-cost']]).toEqual([200, '5']);
  });

  it('accepts -1 as the newest committed block, whose response is not final', async () => {
    const response = await client.post(createTraceApi(createApiDeps(sample)), route, { block_num: '-1' });
    expect(response.body).toMatchObject({ number: sample.status.committed?.num, status: 'pending' });
    expect(response.headers['etag']).toBeUndefined();
    // Another block is the newest one soon, also where each block is irreversible at once.
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      status: { ...sample.status, lastIrreversible: sample.status.committed },
    });
    const final = await client.post(createTraceApi(createApiDeps(reader)), route, { block_num: -1 });
    expect([final.body.status, final.headers['etag']]).toEqual(['irreversible', undefined]);
  });

  it('responds 404 for a block that is stored without traces', async () => {
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      async getBlockTraces(selector: BlockSelector) {
        const found = await sample.getBlockTraces(selector);
        return { ...found, block: found.block && { ...found.block, hasTraces: false } };
      },
    });
    const refusal = await client.refusalOf(createTraceApi(createApiDeps(reader)), route, { block_num: 100 });
    expect(refusal).toMatchObject({ status: 404, name: 'block_trace_missing' });
  });

  it('responds 404 for a missing block', async () => {
    const refusal = await client.refusalOf(createTraceApi(createApiDeps(sample)), route, { block_num: 99999999 });
    expect(refusal).toMatchObject({ status: 404, code: 0, name: 'block_trace_missing' });
  });

  it.each([{}, { block_num: null }, { block_num: -2 }, { block_num: 2 ** 32 }, { block_id: 'abc' }, { block_id: '' }])(
    'refuses %j',
    async (body) => {
      const refusal = await client.refusalOf(createTraceApi(createApiDeps(sample)), route, body);
      expect(refusal).toMatchObject({ status: 400, code: 3010008 });
    },
  );
});

describe('trace_api get_block', () => {
  const { blockNum } = findFinalBlock();
  describeResponseCache({
    createApi: createTraceApi,
    path: TRACE_ROUTES.getTraceBlock.path,
    finalRequest: { block_num: blockNum },
    blockNum,
    otherRequests: { 'to the newest block': { block_num: -1 }, 'that is an error': { block_num: 99999999 } },
  });
});
