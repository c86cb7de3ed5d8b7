import { testSize } from '@antelope-history/test-support/random';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { ROUTES } from '@antelope-history/schemas';
import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';
import { createJudge, HttpClient, readChainFacts, readKnownFailures, runFuzz } from '../../src/fuzz';

const SAMPLE = sampleFolder('leap-edge');
const REQUESTS = testSize({ usual: 800, long: 2_000 });
const LIMIT_MS = 5_000;

describeOnSets('the service under generated requests', (set) => {
  let service: IndexedChain;
  beforeAll(async () => (service = await startIndexedChain(set, SAMPLE)), 180_000);
  afterAll(() => service.stop());

  it('answers all of them as the OpenAPI document says', async () => {
    const seed = Date.now() % 2 ** 31;
    const facts = readChainFacts(SAMPLE);
    const { answers, failures, requests } = await runFuzz({
      url: service.url,
      facts,
      requests: REQUESTS,
      seed,
      limitMs: LIMIT_MS,
    });
    const shown = failures.map(({ request, reason }) => ({
      ...request,
      body: request.body.toString('base64'),
      reason,
    }));
    expect({ seed, failures: shown }).toEqual({ seed, failures: [] });
    expect(requests).toBe(REQUESTS);
    // Both sides of every endpoint were reached.
    const reached = Object.keys(answers);
    for (const { path } of Object.values(ROUTES))
      expect(reached).toEqual(expect.arrayContaining([`${path} 200`, `${path} 400`]));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  }, 120_000);

  it('answers those that it once failed', async () => {
    const client = new HttpClient(service.url, 1);
    const judge = createJudge(LIMIT_MS);
    for (const { request, reason } of readKnownFailures()) {
      expect([reason, judge(request, await client.post(request))]).toEqual([reason, undefined]);
    }
    client.close();
  });
});

describe('the judge of answers', () => {
  const request = { path: ROUTES.getKeyAccounts.path, headers: {}, body: Buffer.alloc(0) };
  const good = { status: 200, contentType: 'application/json', body: '{"account_names":[]}', ms: 5 };
  const judge = createJudge(1_000);

  it('finds nothing wrong with a good answer', () => {
    expect(judge(request, good)).toBeUndefined();
  });

  it.each([
    ['a server error', { status: 500 }, 'status 500'],
    ['a late one', { ms: 1_001 }, '1001 ms'],
    ['one that is not JSON', { body: '{' }, 'the body is not JSON'],
    ['one of another shape', { body: '{"accounts":[]}' }, expect.stringContaining('account_names')],
    ['a large one that is not JSON', { body: `"${'x'.repeat(100_000)}` }, 'the body is not JSON'],
  ])('fails %s', (_, change, reason) => {
    expect(judge(request, { ...good, ...change })).toEqual(reason);
  });
});
