import { once } from 'node:events';
import { type ClientRequest, createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';

const PUSH = '/v1/chain/send_transaction2';
const KIB = 1024;
/** Of a contract with 400 KiB of code: its transaction is sent as hexadecimal digits. */
const CONTRACT = JSON.stringify({ packed_trx: '0a'.repeat(400 * KIB) });
const MAX_BODIES = 16;
const MAX_PER_CLIENT = 4;

interface Sent {
  request: ClientRequest;
  /** Status and body; the name of the error where it is one. */
  response: Promise<[status: number, body: string]>;
}

describe('bodies for chain nodes', () => {
  const fixture = new GatewayFixture();
  const received: Buffer[] = [];
  let isAnswering = true;
  let node: Server;
  let gateway: Server;
  beforeAll(async () => {
    await fixture.open();
    node = createServer((request, response) => {
      void buffer(request).then((body) => {
        received.push(body);
        if (isAnswering) response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await once(node.listen(0, '127.0.0.1'), 'listening');
    gateway = createServer(
      fixture.createGateway({
        environment: {
          HISTORY_GATEWAY__CHAIN_NODE_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
          HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1',
        },
      }),
    );
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const server of [gateway, node]) {
      server.closeAllConnections();
      server.close();
    }
    return fixture.close();
  });
  beforeEach(() => {
    received.length = 0;
    isAnswering = true;
  });

  /** `length`: announces more than `body`, so that the request does not end. */
  function post(body: string, { path = PUSH, client = '10.0.0.1', length = Buffer.byteLength(body) } = {}): Sent {
    const headers = { 'x-forwarded-for': client, 'content-length': length };
    const { port } = gateway.address() as AddressInfo;
    const request = send({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
    const response = once(request, 'response').then(async ([incoming]): Promise<[number, string]> => {
      const text = (await buffer(incoming)).toString();
      const { error } = JSON.parse(text) as { error?: { name: string } };
      return [incoming.statusCode as number, error?.name ?? text];
    });
    response.catch(() => undefined);
    request.on('error', () => undefined);
    if (length > Buffer.byteLength(body)) request.write(body);
    else request.end(body);
    return { request, response };
  }

  const untilReceived = async (count: number): Promise<void> => {
    while (received.length < count) await sleep(5);
  };

  it('can be as large as nodeos takes them', async () => {
    expect(await post(CONTRACT).response).toEqual([200, '{}']);
    expect(received).toEqual([Buffer.from(CONTRACT)]);
    const largest = `"${'x'.repeat(2 * KIB * KIB - 2)}"`;
    expect(await post(largest).response).toEqual([200, '{}']);
    expect(await post(`${largest} `).response).toEqual([413, 'body_too_large']);
    expect(await post(largest + largest).response).toEqual([413, 'body_too_large']);
    expect(received.map((body) => body.length)).toEqual([CONTRACT.length, largest.length]);
  });

  it('do not raise the limit of the service’s own endpoints', async () => {
    const path = ROUTES.getActions.path;
    expect(await post(CONTRACT, { path }).response).toEqual([413, 'body_too_large']);
  });

  it('are few at a time, while small ones pass', async () => {
    isAnswering = false;
    const held = Array.from({ length: MAX_PER_CLIENT }, () => post(CONTRACT));
    await untilReceived(MAX_PER_CLIENT);
    expect(await post(CONTRACT).response).toEqual([503, 'busy']);
    for (const client of ['10.0.0.2', '10.0.0.3', '10.0.0.4']) {
      held.push(...Array.from({ length: MAX_PER_CLIENT }, () => post(CONTRACT, { client })));
    }
    await untilReceived(MAX_BODIES);
    expect(await post(CONTRACT, { client: '10.0.0.5' }).response).toEqual([503, 'busy']);
    isAnswering = true;
    expect(await post('{}', { client: '10.0.0.5' }).response).toEqual([200, '{}']);
    for (const { request } of held) request.destroy();
    while ((await post(CONTRACT, { client: '10.0.0.5' }).response)[0] !== 200) await sleep(20);
  });

  it('that clients do not finish count, and no longer when they leave', async () => {
    const slow = Array.from({ length: MAX_PER_CLIENT }, () => post(CONTRACT, { length: CONTRACT.length + 1 }));
    while ((await post(CONTRACT).response)[0] !== 503) await sleep(20);
    for (const { request } of slow) request.destroy();
    while ((await post(CONTRACT).response)[0] !== 200) await sleep(20);
    // Each has left once: one more is admitted than would be if some were still counted.
    isAnswering = false;
    received.length = 0;
    const held = Array.from({ length: MAX_PER_CLIENT }, () => post(CONTRACT));
    await untilReceived(MAX_PER_CLIENT);
    expect(await post(CONTRACT).response).toEqual([503, 'busy']);
    for (const { request } of held) request.destroy();
  });

  it('that arrive slowly give their places up to those of others', async () => {
    const body = JSON.stringify({ packed_trx: '0a'.repeat(50 * KIB) });
    const length = body.length + 1;
    const slow = ['10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.1.4'].flatMap((client) =>
      Array.from({ length: MAX_PER_CLIENT }, () => post(body, { client, length })),
    );
    const honest = post(body, { client: '10.0.1.5', length });
    expect((await Promise.race([honest.response, sleep(500, [0])]))[0]).toBe(0);
    honest.request.end('x');
    expect(await honest.response).toEqual([503, 'busy']);
    // A body is judged two seconds after its beginning.
    await sleep(2_500);
    expect(await post(CONTRACT, { client: '10.0.1.5' }).response).toEqual([200, '{}']);
    for (const { request } of slow) request.end('x');
    const statuses = (await Promise.all(slow.map(({ response }) => response))).map(([status]) => status);
    expect(statuses.toSorted()).toEqual([...Array.from({ length: MAX_BODIES - 1 }, () => 200), 503]);
  });
});
