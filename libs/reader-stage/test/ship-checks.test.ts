import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Finding } from '@antelope-history/connectivity/check';
import { loadConfig } from '@antelope-history/app-runtime';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { type Certificates, makeCertificates, startTlsFront } from '@antelope-history/test-support/tls';
import { type ShipCheckOptions, shipChecks } from '../src/check';

const TIME_LIMIT_MS = 3_000;

interface Setting {
  url: string;
  environment?: Record<string, string>;
  stored?: Awaited<ReturnType<ShipCheckOptions['readStored']>>;
  now?: number;
}

/** The findings of one node's checks, by the last word of their names; `socket` is the check of the connection. */
async function findingsOf({ url, environment, stored, now = Date.now() }: Setting): Promise<Record<string, Finding>> {
  const config = loadConfig({ HISTORY_SHIP__URLS: url, ...environment });
  const checks = shipChecks({ config, readStored: () => Promise.resolve(stored), now: () => now });
  const findings: Record<string, Finding> = {};
  for (const { name, run } of checks) {
    findings[name.split(' ')[2] ?? 'socket'] = await run(AbortSignal.timeout(TIME_LIMIT_MS));
    if (findings['socket']?.outcome !== 'ok') break;
  }
  return findings;
}

const idsOf = (findings: Record<string, Finding>) =>
  Object.fromEntries(Object.entries(findings).map(([name, { outcome, id }]) => [name, `${outcome} ${id}`]));

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('checks of a node', () => {
  let node: ShipReplay;
  beforeAll(async () => (node = await createShipReplay({ recording: openSample('leap-edge'), position: 'end' })));
  afterAll(() => node.close());

  it('find nothing wrong but the age of the head, because the recording is old', async () => {
    const findings = await findingsOf({ url: node.url });
    expect(idsOf(findings)).toEqual({
      socket: 'ok ship.answers',
      history: 'ok ship.history',
      chain: 'ok ship.chain',
      start: 'ok ship.start',
      clock: 'warning ship.head_old',
    });
  });

  it('compare the clock with the time of the head', async () => {
    const { clock: old } = await findingsOf({ url: node.url });
    const age = Number(/(\d+) seconds old/.exec(old?.what ?? '')?.[1]) * 1000;
    const headTime = Date.now() - age;
    const { clock } = await findingsOf({ url: node.url, now: headTime + 1_500 });
    expect(clock?.id).toBe('ship.clock');
    const { clock: behind } = await findingsOf({ url: node.url, now: headTime - 60_000 });
    expect([behind?.outcome, behind?.id]).toEqual(['wrong', 'ship.clock_behind']);
    expect(behind?.what).toMatch(/(59|60|61) seconds in the future: this machine's clock is behind/);
  });

  it('compare the chain id with the configured one, else the stored one', async () => {
    const other = 'ab'.repeat(32);
    const configured = await findingsOf({ url: node.url, environment: { HISTORY_CHAIN_ID: other } });
    expect(configured['chain']).toMatchObject({ outcome: 'wrong', id: 'ship.chain_id_mismatch' });
    expect(configured['chain']?.what).toContain(`chain_id says ${other}`);
    const stored = await findingsOf({ url: node.url, stored: { chainId: other, committed: undefined } });
    expect(stored['chain']?.what).toContain(`the store holds ${other}`);
    const same = /chain (\w{64})/.exec(stored['chain']?.what ?? '')?.[1] ?? '';
    const fitting = await findingsOf({ url: node.url, environment: { HISTORY_CHAIN_ID: same } });
    expect(fitting['chain']?.id).toBe('ship.chain');
  });

  it('find a history that begins after the next block needed', async () => {
    const late = await createShipReplay({ recording: openSample('leap-snapshot'), position: 3 });
    const first = /from block (\d+)/.exec((await findingsOf({ url: late.url }))['history']?.what ?? '')?.[1];
    const stored = { chainId: undefined, committed: { num: 5 } };
    const { start } = await findingsOf({ url: late.url, stored });
    expect([start?.outcome, start?.id]).toEqual(['wrong', 'ship.history_begins_late']);
    expect(start?.what).toMatch(/begins at block \d+, the next one needed is 6/);
    const configured = await findingsOf({ url: late.url, environment: { HISTORY_SHIP__START_BLOCK: '7' } });
    expect(configured['start']?.change).toContain('ship.start_block');
    expect(Number(first)).toBeGreaterThan(7);
    await late.close();
  });

  it('distinguish a node that has just started from a snapshot from one without traces', async () => {
    const young = await createShipReplay({ recording: openSample('leap-snapshot') });
    const { history, clock } = await findingsOf({ url: young.url });
    expect([history?.outcome, history?.id]).toEqual(['warning', 'ship.no_traces_yet']);
    expect(clock?.id).toBe('ship.no_head');
    await young.close();
  });

  it('find a node that does not keep traces', async () => {
    const recording = openSample('leap-edge');
    const messages = recording.messages.map((message) => ({
      ...message,
      traces: { ...message.traces, present: false },
    }));
    const node = await createShipReplay({ recording: { ...recording, messages }, position: 'end' });
    const { history } = await findingsOf({ url: node.url });
    expect([history?.outcome, history?.id]).toEqual(['wrong', 'ship.history_missing']);
    expect(history?.change).toContain('trace-history = true');
    await node.close();
  });

  it('know EOSIO 2.0, which does not say its chain', async () => {
    const old = await createShipReplay({ recording: openSample('eosio20-edge'), position: 'end' });
    expect(idsOf(await findingsOf({ url: old.url }))).toEqual({
      socket: 'ok ship.answers',
      history: 'ok ship.history',
      chain: 'ok ship.chain_unknown',
      start: 'ok ship.start',
      clock: 'warning ship.head_old',
    });
    await old.close();
  });
});

describe('checks of what is no node', () => {
  it('find nothing there', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    const { socket } = await findingsOf({ url: `ws://127.0.0.1:${port}` });
    expect([socket?.outcome, socket?.id]).toEqual(['wrong', 'ship.refused']);
    const unknown = await findingsOf({ url: 'ws://no-such-host.invalid:8080' });
    expect(unknown['socket']?.id).toBe('ship.unknown_host');
  });

  it('find a server that says nothing, one that cuts off, and one of another protocol', async () => {
    const silent = createServer((socket) => socket.resume());
    const rude = createServer((socket) => socket.destroy());
    const other = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write('-ERR unknown command\r\n'));
    });
    const ids: (string | undefined)[] = [];
    for (const server of [silent, rude, other]) {
      const { socket } = await findingsOf({ url: `ws://127.0.0.1:${await listening(server)}` });
      ids.push(socket?.id);
      server.close();
    }
    expect(ids).toEqual(['ship.no_answer', 'ship.cut_off', 'ship.other_server']);
  });

  it('find the HTTP port of a node, and a websocket of something else', async () => {
    const http = createHttpServer((_request, response) => response.writeHead(404).end('{}'));
    const port = await listening(http);
    const { socket } = await findingsOf({ url: `ws://127.0.0.1:${port}` });
    expect([socket?.id, socket?.what]).toEqual(['ship.other_server', expect.stringContaining('HTTP 404')]);
    http.close();

    const talker = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(talker, 'listening');
    talker.on('connection', (client) => client.send('hello'));
    const url = `ws://127.0.0.1:${(talker.address() as AddressInfo).port}`;
    expect((await findingsOf({ url }))['socket']?.id).toBe('ship.not_state_history');
    talker.close();
    for (const client of talker.clients) client.terminate();
  });
});

describe('checks of a node behind TLS and a password', () => {
  const SECRET = 'p@ss:w0rd/%41+ü';
  let node: ShipReplay;
  let certificates: Certificates;
  beforeAll(async () => {
    certificates = await makeCertificates();
    node = await createShipReplay({ recording: openSample('leap-edge') });
  });
  afterAll(async () => {
    await node.close();
    certificates.remove();
  });

  async function socketOf(
    certificate: 'valid' | 'expired' | 'elsewhere',
    trusted: boolean,
    access = '',
    demanded?: string,
  ): Promise<Finding | undefined> {
    const front = await startTlsFront(node.port, certificates[certificate], demanded);
    const environment: Record<string, string> = trusted ? { HISTORY_SHIP__CA_FILE: certificates.ca } : {};
    const { socket } = await findingsOf({ url: `wss://${access}127.0.0.1:${front.port}`, environment });
    await front.close();
    return socket;
  }

  it('trust only certificates of the authority in ship.ca_file', async () => {
    expect((await socketOf('valid', true))?.id).toBe('ship.answers');
    expect(await socketOf('valid', false)).toMatchObject({ outcome: 'wrong', id: 'ship.certificate_untrusted' });
    expect((await socketOf('expired', true))?.id).toBe('ship.certificate_expired');
    expect((await socketOf('elsewhere', true))?.id).toBe('ship.certificate_wrong_host');
  });

  it('find a node that does not speak TLS', async () => {
    const { socket } = await findingsOf({ url: node.url.replace('ws:', 'wss:') });
    expect(socket?.id).toBe('ship.no_tls');
  });

  it('send the user and password of the URL', async () => {
    const access = `reader:${encodeURIComponent(SECRET)}@`;
    expect((await socketOf('valid', true, access, `reader:${SECRET}`))?.id).toBe('ship.answers');
    for (const wrong of ['', `reader:${encodeURIComponent('another')}@`]) {
      const refused = await socketOf('valid', true, wrong, `reader:${SECRET}`);
      expect(refused).toMatchObject({ outcome: 'wrong', id: 'ship.wrong_password' });
      expect(JSON.stringify(refused)).not.toContain('another');
    }
  });
});
