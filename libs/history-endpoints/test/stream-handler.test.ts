import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Listener } from '@antelope-history/app-runtime';
import { createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { EMPTY_BLOCK, ModelHistory, SyntheticChain } from '@antelope-history/store/contract';
import { HistoryError } from '@antelope-history/schemas';
import type { ActionsQuery, HistoryReader, SearchPause } from '@antelope-history/store';
import { readEventStream, type ServerSentEvent } from '@antelope-history/test-support/event-stream';
import { createHistoryApi } from '../src';

const STREAM = '/v1/history/stream';

describe('the stream over HTTP', () => {
  let sample: SampleReader;
  const listeners: Listener[] = [];
  beforeAll(() => (sample = openSampleReader('leap-edge')));
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

  async function serve(reader: HistoryReader = sample, environment: Record<string, string> = {}) {
    const app = createHistoryApi(createApiDeps(reader, environment));
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return { url: listener.url, listener };
  }

  /** The events up to the first `head`. */
  async function eventsOf(url: string, lastEventId?: string): Promise<ServerSentEvent[]> {
    const events: ServerSentEvent[] = [];
    const abort = new AbortController();
    for await (const event of readEventStream(url, { lastEventId, signal: abort.signal })) {
      events.push(event);
      if (event.type === 'head') return events;
    }
    throw new Error('the stream ended');
  }

  async function rowsOf(url: string, request: object): Promise<unknown[]> {
    const response = await fetch(`${url}/v1/history/get_actions`, { method: 'POST', body: JSON.stringify(request) });
    return ((await response.json()) as { actions: unknown[] }).actions;
  }

  const rowsIn = (events: readonly ServerSentEvent[]): unknown[] =>
    events.filter(({ type }) => type === 'action').map(({ data }) => JSON.parse(data) as unknown);

  it.each([
    ['account_name=alice', { account_name: 'alice' }],
    ['filter=eosio.token:transfer,*:issue', { filter: 'eosio.token:transfer,*:issue' }],
    ['', {}],
  ])('sends the rows of get_actions for "%s", continued at any event', async (parameters, request) => {
    const { url } = await serve();
    const expected = await rowsOf(url, { ...request, after: 300, sort: 'asc', offset: 1000 });
    const events = await eventsOf(`${url}${STREAM}?after=300&${parameters}`);
    expect(rowsIn(events)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(5);
    for (const at of [0, 1, Math.floor(events.length / 2), events.length - 2]) {
      const later = await eventsOf(`${url}${STREAM}?${parameters}`, events[at]?.id);
      expect(rowsIn(later)).toEqual(expected.slice(at + 1));
      const byParameter = await eventsOf(`${url}${STREAM}?${parameters}&cursor=${events[at]?.id}`);
      expect(rowsIn(byParameter)).toEqual(expected.slice(at + 1));
    }
  });

  it('answers 410 to a cursor whose block was removed', async () => {
    const blocks = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 30 }, () => EMPTY_BLOCK),
    );
    const model = ModelHistory.of(blocks);
    const [first = 0, kept = 0] = [blocks[0]?.position.num, blocks[20]?.position.num];
    const { url } = await serve(model);
    const open = (at: number) =>
      fetch(url + STREAM, { headers: { 'last-event-id': `${blocks[at]?.position.id}.all.${first}` }, method: 'HEAD' });
    expect((await open(5)).status).toBe(200);
    model.removeBefore(kept);
    expect([(await open(5)).status, (await open(19)).status, (await open(20)).status]).toEqual([410, 410, 200]);
  });

  it('answers 410 to a cursor when the history begins above the next block, unless no rows below are asked for', async () => {
    const blocks = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 30 }, () => EMPTY_BLOCK),
    );
    const { url } = await serve(ModelHistory.of(blocks.slice(20)));
    const statusAt = async (at: number, query = '') => {
      const headers = { 'last-event-id': `${blocks[at]?.position.id}.all.0` };
      return (await fetch(url + STREAM + query, { headers, method: 'HEAD' })).status;
    };
    const after = `?after=${blocks[20]?.position.num}`;
    expect([await statusAt(18), await statusAt(18, after), await statusAt(19)]).toEqual([410, 200, 200]);
  });

  it('answers 410 to a cursor of an orphan when blocks after the irreversible one of its time were removed', async () => {
    const blocks = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 30 }, () => EMPTY_BLOCK),
    );
    const model = ModelHistory.of(blocks);
    const [at = 0, kept = 0] = [blocks[25]?.position.num, blocks[20]?.position.num];
    const { url } = await serve(model);
    const orphan = `${at.toString(16).padStart(8, '0')}${'f'.repeat(56)}`;
    const open = async (id: string | undefined, irreversible: number): Promise<number> =>
      (await fetch(url + STREAM, { headers: { 'last-event-id': `${id}.all.${irreversible}` }, method: 'HEAD' })).status;
    expect(await open(orphan, kept - 1)).toBe(200);
    model.removeBefore(kept);
    expect(await open(orphan, kept - 1)).toBe(410);
    expect(await open(orphan, kept)).toBe(200);
    expect(await open(blocks[25]?.position.id, kept - 1)).toBe(200);
  });

  it('reports the cost of its searches as they go on, also of those that fail, to a gateway that asks for it', async () => {
    const model = ModelHistory.of(new SyntheticChain().blocks(undefined, [EMPTY_BLOCK, EMPTY_BLOCK, EMPTY_BLOCK]));
    let searches = 0;
    const reader = Object.assign(Object.create(model) as ModelHistory, {
      getActions: async (query: ActionsQuery, pause: SearchPause) => {
        // Each slice costs 0.75 units.
        for (let slice = 0; slice < 2; slice++) await pause(49_152);
        if (searches++ % 2 === 0) throw new HistoryError('QUERY_TOO_BROAD', 'for the test');
        return model.getActions(query);
      },
    });
    const { url } = await serve(reader);
    const textOf = async (headers: Record<string, string>): Promise<string> => {
      const response = await fetch(`${url}${STREAM}?after=1`, { headers });
      let text = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        if (text.includes('event: head')) break;
      }
      return text;
    };
    const costs = (await textOf({ 'x-report-cost': '1' })).match(/(?<=\n\n):cost \d+\n\n/g);
    expect(costs).toEqual(Array.from({ length: Math.floor(1.5 * searches) }, () => ':cost 1\n\n'));
    expect(searches).toBeGreaterThan(1);
    expect(await textOf({})).not.toContain('cost');
  });

  it('begins after the committed head without a block to begin at', async () => {
    const { url } = await serve();
    const [first] = await eventsOf(url + STREAM);
    expect(first).toMatchObject({ type: 'head' });
    expect(JSON.parse(first?.data ?? '')).toEqual({
      block_num: sample.status.committed?.num,
      block_id: sample.status.committed?.id,
    });
  });

  it('sends a fork to a cursor of a block that is not committed, and then what follows', async () => {
    const { url } = await serve();
    const orphan = `${(418).toString(16).padStart(8, '0')}${'f'.repeat(56)}.all.400`;
    const [fork, ...events] = await eventsOf(`${url}${STREAM}?account_name=alice`, orphan);
    expect([fork?.type, (JSON.parse(fork?.data ?? '') as { block_num: number }).block_num]).toEqual(['fork', 400]);
    expect(rowsIn(events)).toEqual(await rowsOf(url, { account_name: 'alice', after: 401, sort: 'asc' }));
    // What a forged cursor says of irreversible blocks is not trusted.
    const beyond = `ffffffff${'f'.repeat(56)}.all.4294967295`;
    const [least] = await eventsOf(`${url}${STREAM}`, beyond);
    const irreversible = sample.status.lastIrreversible;
    expect(JSON.parse(least?.data ?? '')).toEqual({ block_num: irreversible?.num, block_id: irreversible?.id });
    expect(least?.id).toBe(`${irreversible?.id}.all.${irreversible?.num}`);
    const [all] = await eventsOf(`${url}${STREAM}?filter=a:b`, `${'0'.repeat(64)}.0.0`);
    expect([all?.type, (JSON.parse(all?.data ?? '') as { block_num: number }).block_num]).toEqual([
      'fork',
      (sample.status.firstBlockNum ?? 0) - 1,
    ]);
  });

  it('sends nothing below the block to begin at, also after a fork that begins below it', async () => {
    const { url } = await serve();
    const orphan = `${(418).toString(16).padStart(8, '0')}${'f'.repeat(56)}.all.400`;
    const [fork, ...events] = await eventsOf(`${url}${STREAM}?after=410`, orphan);
    expect([fork?.type, (JSON.parse(fork?.data ?? '') as { block_num: number }).block_num]).toEqual(['fork', 400]);
    const rows = rowsIn(events);
    expect(rows).toEqual(await rowsOf(url, { after: 410, sort: 'asc', offset: 1000 }));
    expect(rows.length).toBeLessThan((await rowsOf(url, { after: 401, sort: 'asc', offset: 1000 })).length);
  });

  it('continues a filter by a field that is indexed from the block to begin at', async () => {
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      getStatus: async () => ({ ...(await sample.getStatus()), dataFields: { 'eosio.token:transfer.to': 410 } }),
      getActions: (query: ActionsQuery) => sample.getActions({ ...query, data: [] }),
    });
    const { url } = await serve(reader);
    const cursor = `${(418).toString(16).padStart(8, '0')}${'f'.repeat(56)}.all.400`;
    const statuses = ['', '&after=409', '&after=410'].map(async (after) => {
      const response = await fetch(`${url}${STREAM}?transfer.to=bob${after}&cursor=${cursor}`);
      await response.body?.cancel();
      return response.status;
    });
    expect(await Promise.all(statuses)).toEqual([400, 400, 200]);
  });

  it.each([
    ['account=alice', 'account: the stream takes account_name, filter, after, irreversible_only, cursor'],
    ['account_name=alice&account_name=bob', 'account_name: give it once'],
    ['account_name=Alice', 'account_name'],
    ['filter=transfer', 'filter'],
    ['after=2026-01-01', 'after: give a block number from 1'],
    ['after=0', 'after'],
    ['irreversible_only=maybe', 'irreversible_only: give true or false'],
    ['cursor=1', 'cursor: send the id of an event as it came'],
    ['__proto__=1', '__proto__: the stream takes'],
  ])('refuses ?%s', async (parameters, message) => {
    const { url } = await serve();
    const response = await fetch(`${url}${STREAM}?${parameters}`);
    const { error } = (await response.json()) as { error: { details: { message: string }[] } };
    expect([response.status, error.details[0]?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each([
    ['', 200],
    ['?cursor=1', 400],
  ])('takes an empty header for none, with the parameters %j', async (parameters, status) => {
    const { url } = await serve();
    const response = await fetch(url + STREAM + parameters, { headers: { 'last-event-id': '' }, method: 'HEAD' });
    expect(response.status).toBe(status);
  });

  it('names the header when its id is wrong, also beside a right cursor', async () => {
    const { url } = await serve();
    const cursor = `${'f'.repeat(64)}.all.400`;
    const response = await fetch(`${url}${STREAM}?cursor=${cursor}`, { headers: { 'last-event-id': '1' } });
    const { error } = (await response.json()) as { error: { details: { message: string }[] } };
    const message = 'Last-Event-ID: send the id of an event as it came';
    expect([response.status, error.details[0]?.message]).toEqual([400, message]);
  });

  it('opens api.max_streams streams and no more, however often clients reconnect', async () => {
    const { url } = await serve(sample, { HISTORY_API__MAX_STREAMS: '3' });
    for (let round = 0; round < 340; round++) {
      const streams = await Promise.all([1, 2, 3].map(() => openRaw(url)));
      if (round % 50 === 0) {
        const refused = await fetch(url + STREAM);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
        await refused.body?.cancel();
      }
      for (const stream of streams) stream.destroy();
      while ((await fetch(url + STREAM, { method: 'HEAD' })).status !== 200) await sleep(1);
    }
  });

  it('closes a stream whose client does not read, with bounded memory', async () => {
    const large = { account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 200_000 };
    const plan = { transactions: [[large]], abis: [], permissions: [] };
    const blocks = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 200 }, () => plan),
    );
    const { url } = await serve(ModelHistory.of(blocks));
    const client = await openRaw(url, '?after=1');
    client.pause();
    const before = process.memoryUsage().rss;
    const isOpen = async (): Promise<boolean> =>
      /^history_open_streams 1$/m.test(await (await fetch(`${url}/metrics`)).text());
    expect(await isOpen()).toBe(true);
    // The request for the metrics is in progress itself.
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^http_requests_in_flight\{app="[^"]+"\} 1$/m);
    while (await isOpen()) await sleep(100);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    client.resume();
    await once(client, 'close');
    // Of 80 MB of rows the connection's buffers took some.
    expect(client.bytesRead).toBeLessThan(60_000_000);
  });

  it('opens no stream for a client that left while the store was asked for the fields of its filter', async () => {
    const model = ModelHistory.of(new SyntheticChain().blocks(undefined, [EMPTY_BLOCK, EMPTY_BLOCK]));
    const slow = Object.assign(Object.create(model) as ModelHistory, {
      getStatus: async () => {
        await sleep(100);
        return model.getStatus();
      },
    });
    const { url } = await serve(slow);
    const leaving = fetch(`${url}${STREAM}?transfer.to=bob`, { signal: AbortSignal.timeout(30) });
    await expect(leaving).rejects.toThrow();
    await sleep(400);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^history_open_streams 0$/m);
  });

  it('says that the service stops', async () => {
    const { url, listener } = await serve();
    const events: string[] = [];
    for await (const { type, data } of readEventStream(url + STREAM, { signal: new AbortController().signal })) {
      events.push(type === 'close' ? data : type);
      if (type === 'head') void listener.close();
    }
    expect(events).toEqual(['head', '{"reason":"shutdown"}']);
  });

  /** Opens a stream and resolves when the response begins. */
  async function openRaw(url: string, parameters = ''): Promise<Socket> {
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`GET ${STREAM}${parameters} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await once(client, 'data');
    return client;
  }
});
