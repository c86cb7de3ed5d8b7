import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeInfoReader } from './node-info';

const CHAIN = 'ab'.repeat(32);

describe('createNodeInfoReader', () => {
  let requests = 0;
  let isSilent = false;
  let time = 0;
  const server = createServer((_request, response) => {
    requests++;
    if (!isSilent) response.end(JSON.stringify({ chain_id: CHAIN, block_cpu_limit: requests, head_block_num: 7 }));
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The first request of a process takes much longer than the next ones.
    await fetch(url);
  });
  beforeEach(() => {
    requests = 0;
    isSilent = false;
    time = 1_000_000;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

  it('asks no node when none is configured', async () => {
    expect(await createNodeInfoReader([])()).toBeUndefined();
  });

  it('shares one report, asks for a newer one in the background, and forgets it after ten seconds', async () => {
    const read = createNodeInfoReader([url], () => time);
    const first = { chainId: CHAIN, info: { block_cpu_limit: 1 } };
    expect(await Promise.all([read(), read(), read()])).toEqual([first, first, first]);
    time += 999;
    await read();
    expect(requests).toBe(1);
    time += 1;
    expect(await read()).toEqual(first);
    await settle();
    expect([requests, (await read())?.info]).toEqual([2, { block_cpu_limit: 2 }]);
    isSilent = true;
    time += 9_999;
    expect((await read())?.info).toEqual({ block_cpu_limit: 2 });
    time += 1;
    expect(await read()).toBeUndefined();
  });

  it('waits half a second for a node that does not respond, and not again while it waits', async () => {
    isSilent = true;
    const read = createNodeInfoReader([url], () => performance.now());
    const startedAt = performance.now();
    expect(await read()).toBeUndefined();
    const waited = performance.now() - startedAt;
    expect(waited).toBeGreaterThan(400);
    expect(await read()).toBeUndefined();
    expect(performance.now() - startedAt - waited).toBeLessThan(150);
    expect(requests).toBe(1);
  });

  it('goes on to the next node when one is silent, and begins with that one from then on', async () => {
    let asked = 0;
    const silent = createServer(() => asked++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const read = createNodeInfoReader([`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, url], () => time);
    while (!(await read())) await settle();
    time += 1_000;
    await read();
    await settle();
    expect([asked, requests]).toEqual([1, 2]);
    silent.closeAllConnections();
    silent.close();
  });

  it('takes the address of a node with a slash at its end', async () => {
    let path: string | undefined;
    server.once('request', (request) => (path = request.url));
    expect(await createNodeInfoReader([`${url}/`])()).toBeDefined();
    expect(path).toBe('/v1/chain/get_info');
  });

  it('asks again when the clock of the machine was set back', async () => {
    let [setByMs, passedMs] = [0, 0];
    const [wall, steady] = [Date.now.bind(Date), performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => wall() + setByMs);
    jest.spyOn(performance, 'now').mockImplementation(() => steady() + passedMs);
    const read = createNodeInfoReader([url]);
    expect(await read()).toBeDefined();
    [setByMs, passedMs] = [-3_600_000, 60_000];
    await read();
    jest.restoreAllMocks();
    expect(requests).toBe(2);
  });

  it('leaves nodes alone for five seconds after all of them failed', async () => {
    const read = createNodeInfoReader(['http://127.0.0.1:1', `${url}/nowhere?`, url], () => time);
    server.removeAllListeners('request').on('request', (_request, response) => {
      requests++;
      response.end('{}');
    });
    expect(await read()).toBeUndefined();
    await settle();
    const asked = requests;
    expect(asked).toBe(2);
    time += 4_999;
    await read();
    await settle();
    expect(requests).toBe(asked);
    time += 1;
    await read();
    await settle();
    expect(requests).toBe(2 * asked);
  });
});
