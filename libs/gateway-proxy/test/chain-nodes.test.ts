import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { GatewayFixture } from './gateway-fixture';

const CHAIN = 'ab'.repeat(32);
const INFO = '/v1/chain/get_info';
const CALL = '/v1/chain/get_account';
const PUSH = '/v1/chain/push_transaction';

/** A chain node that counts what it receives. */
class CountingNode {
  head = 1_000;
  chainId = CHAIN;
  /** How it handles calls: it responds at once or after a quarter of a second, leaves the client waiting, or closes the connection after it has read the request. */
  mode: 'responds' | 'delays' | 'hangs' | 'closes' = 'responds';
  infoMode: 'responds' | 'hangs' = 'responds';
  readonly calls: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  private readonly server: Server;

  constructor(readonly name: string) {
    this.server = createServer((incoming, response) => void this.handle(incoming, response));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '';
    const body = await text(incoming).catch(() => '');
    if (path === INFO) {
      if (this.infoMode === 'hangs') return;
      response.end(JSON.stringify({ chain_id: this.chainId, head_block_num: this.head }));
      return;
    }
    this.calls.push({ path, headers: incoming.headers, body });
    if (this.mode === 'hangs') return;
    if (this.mode === 'delays') await sleep(250);
    if (this.mode === 'closes') incoming.socket.destroy();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ by: this.name }));
  }
}

describe('a gateway with several chain nodes', () => {
  const fixture = new GatewayFixture();
  let nodes: CountingNode[];
  let time: number;
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(async () => {
    time = Date.now();
    nodes = ['a', 'b', 'c'].map((name) => new CountingNode(name));
    await Promise.all(nodes.map((node) => node.open()));
  });
  afterEach(() => nodes.forEach((node) => node.close()));

  const createGateway = () => {
    const urls = nodes.map(({ url }) => url).join(',');
    return fixture.createGateway({ environment: { HISTORY_GATEWAY__CHAIN_NODE_URL: urls }, now: () => time });
  };
  const [first, second] = [() => nodes[0] as CountingNode, () => nodes[1] as CountingNode];

  /** The names of the nodes that respond to a number of calls. */
  async function respondersOf(gateway: ReturnType<typeof createGateway>, calls: number): Promise<string[]> {
    const names: string[] = [];
    for (let sent = 0; sent < calls; sent++) {
      const response = await request(gateway).post(CALL).send({ account_name: 'alice' });
      expect(response.status).toBe(200);
      names.push(response.body.by as string);
    }
    return names;
  }

  it('shares the calls among them', async () => {
    expect(new Set(await respondersOf(createGateway(), 6))).toEqual(new Set(['a', 'b', 'c']));
  });

  it.each<[string, (node: CountingNode) => void]>([
    ['is more than 20 blocks behind', (node) => (node.head = 979)],
    ['is on another chain', (node) => (node.chainId = 'cd'.repeat(32))],
    ['does not respond to get_info', (node) => (node.infoMode = 'hangs')],
  ])('skips a node that %s, and uses it again when it is well', async (_, fail) => {
    const gateway = createGateway();
    fail(second());
    // It may respond to these calls: whether it is on the chain is only known when it responds to the check.
    await respondersOf(gateway, 3);
    // A check of a node that hangs takes two seconds.
    if (second().infoMode === 'hangs') await new Promise((resolve) => setTimeout(resolve, 2_300));
    expect(await respondersOf(gateway, 6)).not.toContain('b');
    Object.assign(second(), { head: 1_000, chainId: CHAIN, infoMode: 'responds' });
    time += 10_001;
    expect(await respondersOf(gateway, 6)).toContain('b');
  });

  it('skips a node until a check has found it well, also when the last check is some seconds old', async () => {
    const gateway = createGateway();
    second().chainId = 'cd'.repeat(32);
    for (let seconds = 0; seconds < 40; seconds += 6) {
      expect(await respondersOf(gateway, 1)).not.toContain('b');
      await sleep(50);
      time += 6_000;
    }
  });

  it('skips a node that hangs while a later check waits for it', async () => {
    const gateway = createGateway();
    second().infoMode = 'hangs';
    await respondersOf(gateway, 1);
    await sleep(2_300);
    time += 6_000;
    expect(await respondersOf(gateway, 3)).not.toContain('b');
  });

  it('skips the first node when it is on another chain than that of the configuration', async () => {
    first().chainId = 'cd'.repeat(32);
    const settings = { HISTORY_GATEWAY__CHAIN_NODE_URL: nodes.map(({ url }) => url).join(',') };
    const environment = { ...settings, HISTORY_CHAIN_ID: CHAIN };
    const gateway = fixture.createGateway({ environment, now: () => time });
    expect(new Set(await respondersOf(gateway, 6))).toEqual(new Set(['b', 'c']));
  });

  it('skips a node that is not there', async () => {
    const gateway = createGateway();
    second().close();
    expect(await respondersOf(gateway, 6)).not.toContain('b');
  });

  it('uses a node that is up to 20 blocks behind', async () => {
    second().head = 980;
    expect(await respondersOf(createGateway(), 6)).toContain('b');
  });

  it('uses the nodes that it has when all of them lag or fail', async () => {
    nodes.forEach((node) => (node.infoMode = 'hangs'));
    expect(await respondersOf(createGateway(), 3)).toHaveLength(3);
  });

  it('skips a node that breaks off a call for five seconds', async () => {
    const gateway = createGateway();
    await respondersOf(gateway, 3);
    second().mode = 'closes';
    const statuses: number[] = [];
    for (let sent = 0; sent < 9; sent++) statuses.push((await request(gateway).post(CALL).send({})).status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
    second().mode = 'responds';
    time += 5_001;
    expect(await respondersOf(gateway, 6)).toContain('b');
  });

  it('sends a transaction to one node only, also when that node breaks off', async () => {
    const gateway = await fixture.serve(createGateway());
    for (let sent = 0; sent < 3; sent++) await request(gateway).post(PUSH).send({ packed_trx: '01' });
    nodes.forEach((node) => node.calls.splice(0));
    // The connections of the first three requests are kept, which an API's request would be repeated on.
    nodes.forEach((node) => (node.mode = 'closes'));
    const response = await request(gateway).post(PUSH).send({ packed_trx: '00' });
    expect([response.status, response.body.error.name]).toEqual([503, 'unavailable']);
    expect(nodes.flatMap(({ calls }) => calls).map(({ path, body }) => [path, body])).toEqual([
      [PUSH, '{"packed_trx":"00"}'],
    ]);
  });

  it('waits for the response of a node that is found to lag', async () => {
    const gateway = await fixture.serve(createGateway());
    await request(gateway).post(CALL).send({});
    Object.assign(second(), { head: 900, mode: 'delays' });
    const waiting = request(gateway)
      .post(PUSH)
      .send({})
      .then(({ body }) => body);
    await sleep(100);
    time += 2_001;
    await request(gateway).post(CALL).send({});
    expect(await waiting).toEqual({ by: 'b' });
  });

  it('passes no credentials and no client address', async () => {
    const headers = { authorization: 'Bearer x', 'x-api-key': 'y', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' };
    await request(createGateway()).post(CALL).set(headers).send({});
    const [call] = nodes.flatMap(({ calls }) => calls);
    for (const name of Object.keys(headers)) expect(call?.headers[name]).toBeUndefined();
  });

  it('does not check a single node', async () => {
    first().infoMode = 'hangs';
    const environment = { HISTORY_GATEWAY__CHAIN_NODE_URL: first().url };
    const gateway = fixture.createGateway({ environment, now: () => time });
    const startedAt = performance.now();
    await respondersOf(gateway, 2);
    expect(performance.now() - startedAt).toBeLessThan(400);
  });
});
