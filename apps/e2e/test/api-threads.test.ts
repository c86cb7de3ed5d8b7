import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { openSample, readUsedAccounts, sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient, type CheckedResponse } from '../src';

const SAMPLE = 'leap-edge';
const THREADS = 3;
const AT_ONCE = 16;
/** What the indexing thread adds to the niceness of the process. */
const NICER_BY = 5;

describe('a process with threads that render responses and deserialize', () => {
  let service: IndexedService;
  let client: CheckedClient;
  beforeAll(async () => {
    service = await startIndexedService(sampleFolder(SAMPLE), {
      HISTORY_API__THREADS: String(THREADS),
      HISTORY_INDEXER__DESERIALIZER_THREADS: '2',
    });
    client = new CheckedClient(service.url);
  }, 120_000);
  afterAll(() => service.stop());

  const metric = async (name: RegExp): Promise<number> => {
    const { text } = await new CheckedClient(service.operationsUrl).send('GET', '/metrics');
    return text
      .split('\n')
      .filter((line) => name.test(line))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  it('responds to many requests at once as to one after another', async () => {
    const requests = requestsOf(SAMPLE);
    const expected: string[] = [];
    // The first thread responds to all of these, because no other has fewer requests.
    for (const { path, body } of requests) expected.push((await client.post(path, body)).text);
    const responses: CheckedResponse[] = [];
    const rest = requests.entries();
    const ask = async (): Promise<void> => {
      for (const [index, { path, body }] of rest) responses[index] = await client.post(path, body);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    expect(responses.map(({ text }) => text)).toEqual(expected);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 400, 404]));
  });

  it('shows what the threads count as its own', async () => {
    const requests = await metric(/^http_requests_total\{.*app="history-api".*status="2xx"/);
    expect(requests).toBeGreaterThan(0);
    expect(await metric(/^history_abis_compiled_total/)).toBeGreaterThan(0);
    expect(await metric(/^history_deserialize_duration_seconds_count/)).toBe(openSample(SAMPLE).messages.length);
  });

  it('gives requests precedence over indexing where threads have priorities of their own', () => {
    const own = getPriority(service.pid);
    expect(own).toBe(getPriority(process.pid));
    if (process.platform !== 'linux') return;
    const niceness = readdirSync(`/proc/${service.pid}/task`).map((thread) => getPriority(Number(thread)));
    expect(niceness.filter((each) => each === own).length).toBeGreaterThan(THREADS);
    // Threads that the indexing thread starts have its niceness, too.
    expect(new Set(niceness)).toEqual(new Set([own, own + NICER_BY]));
  });

  it('works on no request whose client has left', async () => {
    const body = JSON.stringify({ offset: 1_000 });
    const sockets = Array.from({ length: 30 }, () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
      socket.write(
        `POST ${ROUTES.getActions.path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });
    await sleep(5);
    for (const socket of sockets) socket.destroy();
    const end = Date.now() + 30_000;
    while ((await metric(/^history_gateway_requests_working/)) > 0 && Date.now() < end) await sleep(20);
    expect(await metric(/^history_gateway_requests_working/)).toBe(0);
    expect((await client.post(ROUTES.getInfo.path, {})).status).toBe(200);
  });
});

/** Requests for everything in a sample, and some that are refused. */
function requestsOf(sample: typeof SAMPLE): { path: string; body: object }[] {
  const { getActions, getControlledAccounts, getTransaction, getChainBlock, getTraceBlock } = ROUTES;
  const blocks = openSample(sample).messages.flatMap(({ thisBlock }) => thisBlock ?? []);
  return [
    ...readUsedAccounts(sampleFolder(sample)).names.flatMap((account) => [
      { path: getActions.path, body: { account_name: account, offset: 500 } },
      { path: getControlledAccounts.path, body: { controlling_account: account } },
    ]),
    ...blocks.flatMap(({ num }) => [
      { path: getChainBlock.path, body: { block_num_or_id: num } },
      { path: getTraceBlock.path, body: { block_num: num } },
    ]),
    { path: getActions.path, body: { account_name: 'WRONG' } },
    { path: getTransaction.path, body: { id: 'f'.repeat(64) } },
  ];
}
