import { ROUTES } from '@antelope-history/routes';
import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';
import { testSize } from '@antelope-history/test-support/random';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { readChainFacts } from '../../src/chain-facts';
import { createJudge, type Failure, HttpClient, readKnownFailures, runFuzz } from '../../src/fuzz';

const SAMPLE = sampleFolder('leap-edge');
const REQUESTS = testSize({ usual: 500, long: 2_000 });
const LIMIT_MS = 5_000;
const LATE = /^\d+ ms$/;

describeOnSets('the service under generated requests', (set) => {
  let service: IndexedChain;
  beforeAll(async () => (service = await startIndexedChain(set, SAMPLE)), 180_000);
  afterAll(() => service.stop());

  it('sends only responses that conform to the OpenAPI document', async () => {
    const seed = Date.now() % 2 ** 31;
    const facts = readChainFacts(SAMPLE);
    const { responses, failures, requests } = await runFuzz({
      url: service.url,
      facts,
      requests: REQUESTS,
      seed,
      limitMs: LIMIT_MS,
    });
    const shown = (await withoutLateOnce(failures)).map(({ request, reason }) => ({
      ...request,
      body: request.body.toString('base64'),
      reason,
    }));
    expect({ seed, failures: shown }).toEqual({ seed, failures: [] });
    expect(requests).toBe(REQUESTS);
    // Every endpoint accepted and rejected requests.
    const reached = Object.keys(responses);
    for (const { path } of Object.values(ROUTES))
      expect(reached).toEqual(expect.arrayContaining([`${path} 200`, `${path} 400`]));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  }, 120_000);

  /**
   * Leaves out a late response whose request is answered in time when it is sent again alone: a busy machine has held one for six
   * seconds. A request that takes that long by itself is late again.
   */
  async function withoutLateOnce(failures: Failure[]): Promise<Failure[]> {
    const client = new HttpClient(service.url, 1);
    const judge = createJudge(LIMIT_MS);
    const kept: Failure[] = [];
    for (const failure of failures) {
      const reason = LATE.test(failure.reason)
        ? judge(failure.request, await client.post(failure.request))
        : failure.reason;
      if (reason !== undefined) kept.push({ ...failure, reason });
    }
    client.close();
    return kept;
  }

  it('responds to requests that failed in earlier runs', async () => {
    const client = new HttpClient(service.url, 1);
    const judge = createJudge(LIMIT_MS);
    for (const { request, reason } of readKnownFailures()) {
      expect([reason, judge(request, await client.post(request))]).toEqual([reason, undefined]);
    }
    client.close();
  });
});

describe('the judge of responses', () => {
  const request = { path: ROUTES.getKeyAccounts.path, headers: {}, body: Buffer.alloc(0) };
  const good = { status: 200, contentType: 'application/json', body: '{"account_names":[]}', ms: 5 };
  const judge = createJudge(1_000);

  it('accepts a valid response', () => {
    expect(judge(request, good)).toBeUndefined();
  });

  it.each([
    ['a server error', { status: 500 }, 'status 500'],
    ['a late response', { ms: 1_001 }, '1001 ms'],
    ['a response that is not JSON', { body: '{' }, 'the body is not JSON'],
    ['a response of another shape', { body: '{"accounts":[]}' }, expect.stringContaining('account_names')],
    ['a large response that is not JSON', { body: `"${'x'.repeat(100_000)}` }, 'the body is not JSON'],
  ])('fails %s', (_, change, reason) => {
    expect(judge(request, { ...good, ...change })).toEqual(reason);
  });
});
