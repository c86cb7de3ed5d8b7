import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, stop } from '@antelope-history/processes';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { HYPERION_KEYS } from '../src/hyperion/hyperion-keys';
import { translateHyperion } from '../src/hyperion/translate-hyperion';
import { runCli } from './run-cli';

const CHAIN_ID = 'aca376f206b8fc25a6ed44dbdc66547c36c6c33e3a119ffbeaef943642f0e906';
const PASSWORD = 'not-for-anyone';

/** Files as Hyperion 4 ships them, with servers that have passwords. */
const CONNECTIONS = {
  amqp: {
    host: '10.0.0.5:5672',
    api: '10.0.0.5:15672',
    protocol: 'http',
    user: 'hyperion',
    pass: PASSWORD,
    vhost: 'hyperion',
    frameMax: '0x10000',
  },
  elasticsearch: {
    protocol: 'https',
    host: '10.0.0.6:9200',
    ingest_nodes: ['10.0.0.6:9200', '10.0.0.7:9200'],
    user: 'elastic',
    pass: PASSWORD,
  },
  redis: { host: '10.0.0.8', port: 6380, db: 2, password: PASSWORD },
  mongodb: { enabled: true, host: '127.0.0.1', port: 27017, database_prefix: 'hyperion' },
  chains: {
    eos: {
      name: 'EOS Mainnet',
      chain_id: CHAIN_ID,
      http: 'http://10.0.0.9:8888',
      ship: ['ws://10.0.0.9:8080', { label: 'second', url: 'ws://10.0.0.10:8080' }],
      WS_ROUTER_HOST: '127.0.0.1',
      WS_ROUTER_PORT: 7001,
    },
    wax: { name: 'WAX', chain_id: CHAIN_ID, http: '', ship: 'ws://127.0.0.1:9080' },
  },
};
const SETTINGS = {
  api: {
    chain_name: 'EOS',
    server_addr: '0.0.0.0',
    server_port: 7000,
    stream_port: 1234,
    limits: { get_actions: 20_000, get_trx_actions: 200 },
    chain_api: '',
    access_log: true,
    disable_rate_limit: false,
    rate_limit_rpm: 600,
    rate_limit_allow: [],
    v1_chain_cache: [{ path: 'get_block', ttl: 3000 }],
    max_asc_window_days: 30,
  },
  indexer: { start_on: 0, stop_on: 0, fetch_traces: true, max_inline: 20 },
  settings: {
    index_partition_size: 10_000_000,
    es_replicas: 0,
    max_retained_blocks: 5_000_000,
    max_ws_payload_mb: 256,
    debug: false,
    parser: '3.2',
  },
  scaling: { readers: 1, batch_size: 5000 },
  prefetch: { read: 50, block: 100, index: 500 },
  features: { streaming: { enable: true }, tables: { proposals: true } },
  whitelists: { actions: [] },
  plugins: {},
};
const files = { chainName: 'eos', connections: CONNECTIONS, chain: CONNECTIONS.chains.eos, settings: SETTINGS };
const secretPath = (file: string): string => `/etc/history/${file}`;

describe('translating a configuration of Hyperion', () => {
  it('takes over everything that has a counterpart', () => {
    const { config, secrets } = translateHyperion(files, { embedded: false, secretPath });
    expect(config).toEqual({
      chain_id: CHAIN_ID,
      ship: {
        urls: ['ws://10.0.0.9:8080', 'ws://10.0.0.10:8080'],
        max_messages_in_flight: 50,
        max_message_bytes: 268_435_456,
      },
      store: {
        kind: 'elasticsearch',
        elasticsearch: {
          urls: ['https://10.0.0.6:9200', 'https://10.0.0.7:9200'],
          username: 'elastic',
          password_file: '/etc/history/elasticsearch-password',
          index_prefix: 'history-eos',
          replicas: 0,
          retain_blocks: 5_000_000,
        },
      },
      broker: {
        kind: 'rabbitmq',
        rabbitmq: {
          url: 'amqp://10.0.0.5:5672',
          username: 'hyperion',
          password_file: '/etc/history/rabbitmq-password',
          vhost: 'history-eos',
        },
      },
      key_value: {
        kind: 'redis',
        redis: {
          url: 'redis://10.0.0.8:6380/2',
          password_file: '/etc/history/redis-password',
          key_prefix: 'history-eos',
        },
      },
      api: { limits: { get_actions: 10_000 }, rate_limit_rpm: 600, max_asc_window_days: 30 },
      gateway: {
        host: '0.0.0.0',
        port: 7000,
        access_log: 'common',
        chain_node_url: 'http://10.0.0.9:8888',
      },
    });
    expect([...secrets.values()]).toEqual([PASSWORD, PASSWORD, PASSWORD]);
  });

  it('leaves the servers out for the embedded store', () => {
    const { config, secrets, keys } = translateHyperion(files, { embedded: true, secretPath });
    expect(Object.keys(config).sort()).toEqual(['api', 'chain_id', 'gateway', 'ship', 'store']);
    expect(config.store).toEqual({ lmdb: { retain_blocks: 5_000_000 } });
    expect(secrets.size).toBe(0);
    expect(keys).toContainEqual({ from: 'amqp.pass', to: [], note: 'not used with the embedded store' });
  });

  it('says something of every key, also of one that nobody knows', () => {
    const odd = JSON.parse('{"api": {"__proto__": {"x": 1}, "colour": "red"}, "constructor": 1}') as object;
    const { keys } = translateHyperion({ ...files, settings: { ...odd } }, { embedded: false, secretPath });
    const unknown = keys.filter(({ note }) => note?.startsWith('not a key that Hyperion documents'));
    expect(unknown.map(({ from }) => from)).toEqual(['api.__proto__', 'api.colour', 'constructor']);
    for (const { to, note } of keys) expect(to.length > 0 || note !== undefined).toBe(true);
  });

  it.each([
    [{ ...SETTINGS, indexer: { start_on: '7' } }, 'indexer.start_on: takes an integer'],
    [{ ...SETTINGS, settings: { max_ws_payload_mb: null } }, 'settings.max_ws_payload_mb: takes an integer'],
  ])('refuses a value of another type', (settings, message) => {
    expect(() => translateHyperion({ ...files, settings }, { embedded: false, secretPath })).toThrow(message);
  });

  it('never counts the rate limit of a Hyperion that has none', () => {
    const settings = { api: { disable_rate_limit: true, rate_limit_rpm: 600 } };
    const { config } = translateHyperion({ ...files, settings }, { embedded: true, secretPath });
    expect(config.api).toEqual({ rate_limit_rpm: 0 });
  });

  it('has the keys that docs/moving-from-hyperion.md has', () => {
    const page = readFileSync(path.resolve(__dirname, '../../../docs/moving-from-hyperion.md'), 'utf8');
    const table = page.slice(page.indexOf('## Configuration'));
    const documented = documentedKeys(table);
    for (const key of ['amqp.vhost', 'chains.X.ship', 'api.access_log', 'settings.hot_warm_policy'])
      expect(documented).toContain(key);
    for (const key of documented) {
      const isKnown = Object.keys(HYPERION_KEYS).some(
        (known) => key === known || key.startsWith(`${known}.`) || known.startsWith(`${key}.`),
      );
      expect([key, isKnown]).toEqual([key, true]);
    }
  });
});

/** Keys in the first column; `.user` after `amqp.host` is `amqp.user`, and `redis.*` is `redis`. */
function documentedKeys(table: string): string[] {
  return [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => {
    let section = '';
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, key = '']) => {
      const whole = (key.startsWith('.') ? section + key : key).replace(/\.\*$/, '');
      section = whole.slice(0, whole.lastIndexOf('.'));
      return whole;
    });
  });
}

async function readBlockId(url: string, num: number | undefined): Promise<unknown> {
  const body = JSON.stringify({ block_num_or_id: num });
  const response = await fetch(`${url}/v1/chain/get_block`, { method: 'POST', body });
  return ((await response.json()) as { id?: unknown }).id;
}

describe('antelope-history hyperion-config', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-hyperion-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function writeHyperion(name: string, connections: object, settings: object): string {
    const from = path.join(folder, name);
    mkdirSync(path.join(from, 'chains'), { recursive: true });
    writeFileSync(path.join(from, 'connections.json'), JSON.stringify(connections));
    writeFileSync(path.join(from, 'chains', 'eos.config.json'), JSON.stringify(settings));
    return from;
  }

  it('writes a configuration and passwords that only their owner reads, and shows no password', async () => {
    const from = writeHyperion('whole', CONNECTIONS, SETTINGS);
    const out = path.join(folder, 'whole-out');
    const { status, output, errors } = await runCli('hyperion-config', '--from', from, '--chain', 'eos', '--out', out);
    expect([status, errors]).toEqual([0, '']);
    expect(output).toMatch(/^  amqp\.host +broker\.kind, broker\.rabbitmq\.url$/m);
    expect(output).toMatch(/^  indexer\.max_inline +no trace is cut$/m);
    expect(output).toContain(`check-config --config ${path.join(out, 'config.json')}`);
    expect(output + readFileSync(path.join(out, 'config.json'), 'utf8')).not.toContain(PASSWORD);
    expect(readFileSync(path.join(out, 'rabbitmq-password'), 'utf8')).toBe(PASSWORD);
    for (const name of ['config.json', 'rabbitmq-password', 'redis-password', 'elasticsearch-password'])
      expect([name, statSync(path.join(out, name)).mode & 0o777]).toEqual([name, 0o600]);

    const again = await runCli('hyperion-config', '--from', from, '--chain', 'eos', '--out', out);
    expect([again.status, again.errors]).toEqual([
      2,
      expect.stringContaining('config.json exists: name another folder'),
    ]);
  });

  it('says which value the service does not take', async () => {
    const from = writeHyperion('wrong', CONNECTIONS, { ...SETTINGS, prefetch: { read: 20_000 } });
    const out = path.join(folder, 'wrong-out');
    const { status, output } = await runCli(
      'hyperion-config',
      '--from',
      from,
      '--chain',
      'eos',
      '--out',
      out,
      '--json',
    );
    expect(status).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      wrong: expect.stringContaining('ship.max_messages_in_flight: takes an integer from 1 to 10000') as string,
    });
  });

  it.each([
    [['--chain', 'telos'], 'has no chain telos, but: eos, wax'],
    [['--chain', '../eos'], '--chain: takes the name of a chain'],
    [['--chain', 'wax'], 'wax.config.json cannot be read'],
  ])('exits with status 2 when %j', async (args, message) => {
    const from = writeHyperion('other', CONNECTIONS, SETTINGS);
    const out = path.join(folder, 'never');
    const { status, errors } = await runCli('hyperion-config', '--from', from, '--out', out, ...args);
    expect([status, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  it('shows no text of a file that is not JSON, and writes nothing', async () => {
    const from = writeHyperion('broken', CONNECTIONS, SETTINGS);
    writeFileSync(path.join(from, 'connections.json'), `{"amqp":{"pass":"${PASSWORD}" "user":"x"}}`);
    const out = path.join(folder, 'broken-out');
    const { status, errors } = await runCli('hyperion-config', '--from', from, '--chain', 'eos', '--out', out);
    expect([status, errors]).toEqual([
      2,
      expect.stringContaining('connections.json is not JSON: comma expected at line 1'),
    ]);
    expect(errors).not.toContain(PASSWORD);
    expect(existsSync(out)).toBe(false);
  });

  it('writes nothing beside a password file that exists', async () => {
    const from = writeHyperion('beside', CONNECTIONS, SETTINGS);
    const out = path.join(folder, 'beside-out');
    mkdirSync(out);
    writeFileSync(path.join(out, 'redis-password'), 'kept');
    const { status, errors } = await runCli('hyperion-config', '--from', from, '--chain', 'eos', '--out', out);
    expect([status, errors]).toEqual([2, expect.stringContaining('redis-password exists: name another folder')]);
    expect(readdirSync(out)).toEqual(['redis-password']);
  });

  it('gives a configuration with which the service starts and responds', async () => {
    const recording = openSample('spring-savanna');
    const node = await createShipReplay({ recording });
    const chain = { ...CONNECTIONS.chains.eos, chain_id: recording.chainId, ship: node.url };
    const api = { ...SETTINGS.api, server_addr: '127.0.0.1', server_port: 0 };
    const from = writeHyperion('running', { ...CONNECTIONS, chains: { eos: chain } }, { ...SETTINGS, api });
    const out = path.join(folder, 'running-out');
    const translated = await runCli('hyperion-config', '--from', from, '--chain', 'eos', '--out', out, '--embedded');
    expect([translated.status, translated.errors]).toEqual([0, '']);
    const service = startApp('standalone', {
      args: ['--config', path.join(out, 'config.json')],
      environment: { HISTORY_STORE__LMDB__PATH: path.join(folder, 'data') },
    });
    const { url = '' } = await service.logged('gateway listening');
    const block = recording.messages[1]?.thisBlock;
    while ((await readBlockId(url, block?.num)) !== block?.id) await sleep(50);
    await stop(service.child);
    await node.close();
  }, 240_000);
});
