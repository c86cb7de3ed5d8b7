import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Finding } from '@antelope-history/connectivity/check';
import { createGateway, GatewayStatus } from '@antelope-history/gateway-proxy';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger, listen, loadConfig, Registry } from '@antelope-history/app-runtime';
import type { Listening } from '../../src/check-config/app-needs';
import { portChecks } from '../../src/check-config/check-ports';

async function findingsOf(environment: Record<string, string>, listens: Listening[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { run } of portChecks(loadConfig(environment), listens)) {
    findings.push(await run(AbortSignal.timeout(5_000)));
  }
  return findings;
}

const idsOf = (findings: Finding[]) => findings.map(({ outcome, id }) => `${outcome} ${id}`);

async function occupy(): Promise<{ server: Server; port: string }> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: String((server.address() as AddressInfo).port) };
}

describe('the checks of listen addresses', () => {
  it('report a free port, and leave it free', async () => {
    const { server, port } = await occupy();
    server.close();
    await once(server, 'close');
    for (let times = 0; times < 2; times++) {
      const findings = await findingsOf({ HISTORY_HISTORY_API__PORT: port }, ['history_api']);
      expect(idsOf(findings)).toEqual(['ok port.free']);
    }
  });

  it('report a port that another program uses', async () => {
    const { server, port } = await occupy();
    const [finding] = await findingsOf({ HISTORY_CHAIN_API__PORT: port }, ['chain_api']);
    expect(finding).toMatchObject({ outcome: 'wrong', id: 'port.in_use', change: 'stop it, or change chain_api.port' });
    server.close();
  });

  it('accept a port on which an app of Antelope History already listens', async () => {
    const [config, keyValue] = [loadConfig({}), new MemoryKeyValue()];
    const app = createGateway({
      config,
      keyValue,
      status: new GatewayStatus({ config, keyValue }),
      log: createLogger('test', 'silent'),
      registry: new Registry(),
    });
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    const environment = { HISTORY_GATEWAY__HOST: '127.0.0.1', HISTORY_GATEWAY__PORT: String(listener.port) };
    expect(idsOf(await findingsOf(environment, ['gateway']))).toEqual(['ok port.in_use_by_us']);
    await listener.close();
  });

  it('report a port that two apps share, and an address that this machine does not have', async () => {
    const { server, port } = await occupy();
    server.close();
    await once(server, 'close');
    const twice = { HISTORY_CHAIN_API__PORT: port, HISTORY_OPS__INDEXER_PORT: port };
    const findings = await findingsOf(twice, ['chain_api', 'ops.indexer']);
    expect(idsOf(findings)).toEqual(['wrong port.twice', 'wrong port.twice']);
    expect(findings[1]?.change).toBe('change ops.indexer_port');
    // 192.0.2.0/24 is reserved for documentation (RFC 5737).
    const elsewhere = { HISTORY_TRACE_API__HOST: '192.0.2.1', HISTORY_TRACE_API__PORT: port };
    expect(idsOf(await findingsOf(elsewhere, ['trace_api']))).toEqual(['wrong port.no_such_address']);
  });

  it('accept a port that two apps have on different addresses', async () => {
    const { server, port } = await occupy();
    server.close();
    await once(server, 'close');
    const apart = { HISTORY_GATEWAY__PORT: port, HISTORY_GATEWAY__HOST: '127.0.0.2', HISTORY_OPS__GATEWAY_PORT: port };
    const listens: Listening[] = ['gateway', 'ops.gateway'];
    expect(idsOf(await findingsOf(apart, listens))).toEqual(['ok port.free', 'ok port.free']);
    for (const host of ['0.0.0.0', '::', 'localhost']) {
      const findings = await findingsOf({ ...apart, HISTORY_GATEWAY__HOST: host }, listens);
      expect(idsOf(findings)).toEqual(['wrong port.twice', 'wrong port.twice']);
    }
  });

  it('skip apps that listen on any free port or on none', async () => {
    expect(await findingsOf({ HISTORY_GATEWAY__PORT: '0' }, ['gateway', 'ops.reader'])).toEqual([]);
  });
});
