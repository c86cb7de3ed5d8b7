import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  readEventStream,
  readWebSocketStream,
  type ServerSentEvent,
} from '@antelope-history/test-support/event-stream';
import { createRandom } from '@antelope-history/test-support/random';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import { describeOnSets, type IndexedChain, startIndexedChain, startService, stop } from '@antelope-history/processes';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { createShipReplay } from '@antelope-history/ship-replay';

const SEED = 418;
const PAGE = 1_000;

interface Row {
  block_num: number;
}

/** The rows of get_actions from the first block on, oldest first. */
async function rowsOf(url: string, request: object): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const body = JSON.stringify({ ...request, sort: 'asc', after: 1, pos: rows.length, offset: PAGE });
    const response = await fetch(url + ROUTES.getActions.path, { method: 'POST', body });
    expect(response.status).toBe(200);
    const page = (await response.json()) as { actions: Row[]; more: boolean };
    rows.push(...page.actions);
    if (!page.more) return rows;
  }
}

const TRANSPORTS = { 'server-sent events': readEventStream, WebSocket: readWebSocketStream } as const;
type Transport = keyof typeof TRANSPORTS;

/** A client that keeps the committed rows, and continues at its last event however its connection ends. */
class StreamClient {
  readonly rows: Row[] = [];
  head = 0;
  forks = 0;
  connections = 0;
  private lastId: string | undefined;
  private readonly stopped = new AbortController();
  private connection = new AbortController();

  constructor(
    private readonly gateway: () => string,
    private readonly parameters: string,
    private readonly transport: Transport,
  ) {}

  /** Reads until `stop`. */
  async run(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      this.connection = new AbortController();
      const url = `${this.gateway()}${STREAM.path}?after=1&${this.parameters}`;
      const options = { lastEventId: this.lastId, signal: this.connection.signal };
      this.connections++;
      try {
        for await (const event of TRANSPORTS[this.transport](url, options)) this.take(event);
      } catch {
        await sleep(20);
      }
    }
  }

  disconnect(): void {
    this.connection.abort();
  }

  stop(): void {
    this.stopped.abort();
    this.connection.abort();
  }

  private take({ type, id, data }: ServerSentEvent): void {
    if (type === 'close') return;
    this.lastId = id;
    const fact = JSON.parse(data) as Row;
    if (type === 'action') this.rows.push(fact);
    if (type === 'head' || type === 'fork') this.head = fact.block_num;
    if (type !== 'fork') return;
    this.forks++;
    while ((this.rows.at(-1)?.block_num ?? 0) > fact.block_num) this.rows.pop();
  }
}

describe('the stream of a service that is killed while its chain forks', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-stream-'));
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('gives each client the rows of get_actions', async () => {
    const random = createRandom(SEED);
    const recording = openSample('leap-forks');
    const replay = await createShipReplay({ recording, pace: 'manual' });
    let service = startService(replay.url, data);
    let url = await service.gateway;
    const requests: Record<string, string>[] = [{}, { account_name: 'eosio' }, { filter: '*:onblock' }];
    const clients = requests.flatMap((request) =>
      (['server-sent events', 'WebSocket'] as const).map((transport) => {
        const parameters = new URLSearchParams(request).toString();
        return { request, client: new StreamClient(() => url, parameters, transport) };
      }),
    );
    const runs = clients.map(({ client }) => client.run());
    const untilFollowed = async (): Promise<void> => {
      for (const { client } of clients) while (client.head !== replay.stats.headBlockNum) await sleep(20);
    };
    let kills = 0;
    while (replay.stats.position < recording.messages.length) {
      replay.advance(1 + random(6));
      await sleep(random(60));
      // The clients see forks on a machine of any speed only if the service follows its chain before some of them.
      if (random(4) === 0) await untilFollowed();
      if (random(4) === 0) clients[random(clients.length)]?.client.disconnect();
      if (random(25) > 0) continue;
      kills++;
      service.child.kill('SIGKILL');
      await once(service.child, 'exit');
      service = startService(replay.url, data);
      url = await service.gateway;
    }
    await untilFollowed();
    for (const { request, client } of clients) {
      expect(client.rows).toEqual(await rowsOf(url, request));
      client.stop();
    }
    await Promise.all(runs);
    expect(clients[0]?.client.rows.length).toBeGreaterThan(300);
    expect(kills).toBeGreaterThan(1);
    expect(clients.reduce((sum, { client }) => sum + client.forks, 0)).toBeGreaterThan(3);
    await stop(service.child);
    await replay.close();
  }, 240_000);
});

describeOnSets('the stream of an indexed chain', (set) => {
  let chain: IndexedChain;
  beforeAll(async () => {
    chain = await startIndexedChain(set, sampleFolder('leap-forks'), {
      environment: { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' },
    });
  }, 240_000);
  afterAll(() => chain.stop());

  const REQUESTS: Record<string, string>[] = [{}, { account_name: 'eosio' }, { filter: 'eosio.token:*' }];
  const cases = REQUESTS.flatMap((request) =>
    (Object.keys(TRANSPORTS) as Transport[]).map((transport) => ({ request, transport })),
  );

  it.each(cases)('has the rows of get_actions for $request over $transport', async ({ request, transport }) => {
    const client = new StreamClient(() => chain.url, new URLSearchParams(request).toString(), transport);
    const run = client.run();
    while (client.head === 0) await sleep(10);
    client.disconnect();
    while (client.connections < 2) await sleep(10);
    const rows = await rowsOf(chain.url, request);
    expect(client.rows).toEqual(rows);
    expect(rows.length).toBeGreaterThan(1);
    client.stop();
    await run;
  });
});
