import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Config, loadConfig } from '@antelope-history/app-runtime';
import {
  DEPLOYED_APPS,
  findUnknownNames,
  listFiles,
  type Manifest,
  readConfigNames,
  readText,
  readYaml,
} from '../../src';
import { withFiles } from './sample-files';

type Settings = Record<string, unknown>;

/** The sections that the configuration of each side may have. */
const SIDES = {
  indexing: ['ship', 'broker', 'store', 'key_value', 'indexer', 'ops', 'log_level', 'chain_id'],
  api: [
    ...['store', 'key_value', 'api', 'gateway', 'history_api', 'chain_api', 'trace_api', 'ops'],
    ...['log_level', 'chain_id'],
  ],
};

/** Loads a configuration on a machine that has the files that it names. */
function load(text: string): Config {
  return withFiles((toLocal) => {
    const file = path.join(path.dirname(toLocal('empty.json')), 'config.json');
    writeFileSync(file, toLocal(text));
    return loadConfig({}, { file });
  });
}

const operationsPortOf = (name: string): number | undefined =>
  DEPLOYED_APPS.find((app) => app.name === name)?.operationsPort;
const portOf = (name: string): number | undefined => DEPLOYED_APPS.find((app) => app.name === name)?.port;

describe.each(['indexing', 'api'] as const)('the %s side', (side) => {
  const configMap = (readYaml('deploy/kubernetes/config.yaml') as (Manifest & { data: Record<string, string> })[]).find(
    ({ metadata }) => metadata.name === `${side}-side`,
  );
  const texts = [
    { where: `deploy/config/${side}-side.json`, text: readText(`deploy/config/${side}-side.json`) },
    { where: 'deploy/kubernetes/config.yaml', text: configMap?.data['config.json'] ?? '' },
  ];

  it.each(texts)('has only the sections of its side in $where', ({ text }) => {
    const settings = JSON.parse(text) as Settings;
    expect(Object.keys(settings).filter((section) => !SIDES[side].includes(section))).toEqual([]);
    const { store, broker, keyValue } = load(text);
    expect([store.kind, keyValue.kind]).toEqual(['elasticsearch', 'redis']);
    expect(broker.kind).toBe(side === 'indexing' ? 'rabbitmq' : 'memory');
    expect(store.elasticsearch.username).toBe(side === 'indexing' ? 'history_writer' : 'history_reader');
  });

  it.each(texts)('has no password in $where, only files', ({ text }) => {
    expect(text).not.toContain('"password"');
    const { store, broker, keyValue } = load(text);
    const passwords = [store.elasticsearch.password, keyValue.redis.password];
    expect(passwords).toEqual(['secret', 'secret']);
    if (side === 'indexing') expect(broker.rabbitmq.password).toBe('secret');
  });
});

describe('deploy/config', () => {
  it('connects to all three servers over TLS', () => {
    const { store, broker, keyValue } = load(readText('deploy/config/indexing-side.json'));
    const urls = [...store.elasticsearch.urls, broker.rabbitmq.url, keyValue.redis.url];
    expect(urls.map((url) => new URL(url).protocol)).toEqual(['https:', 'https:', 'amqps:', 'rediss:']);
  });

  it('runs the whole service as one process with standalone.json', () => {
    const { store, broker, keyValue, gateway, ops } = load(readText('deploy/config/standalone.json'));
    expect([store.kind, broker.kind, keyValue.kind]).toEqual(['lmdb', 'memory', 'memory']);
    expect(gateway.port).toBe(portOf('standalone'));
    expect([gateway.host, ops]).toMatchObject([
      '127.0.0.1',
      { host: '127.0.0.1', gatewayPort: operationsPortOf('standalone') },
    ]);
  });

  it('has the ports of the other deployment files', () => {
    const { ops } = load(readText('deploy/config/indexing-side.json'));
    expect([ops.readerPort, ops.deserializerPort, ops.indexerPort]).toEqual(
      ['reader', 'deserializer', 'indexer'].map(portOf),
    );
    const { gateway, historyApi, chainApi, traceApi, ops: apiOps } = load(readText('deploy/config/api-side.json'));
    expect(apiOps.gatewayPort).toBe(operationsPortOf('gateway'));
    // Several instances of an API on one machine share the file.
    expect([apiOps.historyApiPort, apiOps.chainApiPort, apiOps.traceApiPort]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([gateway, historyApi, chainApi, traceApi].map(({ port }) => port)).toEqual(
      ['gateway', 'history-api', 'chain-api', 'trace-api'].map(portOf),
    );
    expect(
      [gateway.historyApiUrl, gateway.chainApiUrl, gateway.traceApiUrl].flat().map((url) => Number(new URL(url).port)),
    ).toEqual(['history-api', 'chain-api', 'trace-api'].map(portOf));
  });
});

describe('deploy/config/several-chains', () => {
  const read = (file: string) => load(readText(`deploy/config/several-chains/${file}.json`));
  const { gateway, ops } = read('gateway');
  const chains = Object.entries(gateway.chains ?? {});

  it('has a process for each chain of the gateway, with ports, data and an id of its own', () => {
    expect(chains.map(([name]) => name)).toEqual(['eos', 'wax']);
    const processes = chains.map(([name]) => read(name));
    for (const [index, [, { historyApiUrl, chainApiUrl, traceApiUrl, chainId }]] of chains.entries()) {
      const { port } = processes[index]?.gateway ?? {};
      expect([historyApiUrl, chainApiUrl, traceApiUrl].flat()).toEqual(Array(3).fill(`http://127.0.0.1:${port}`));
      expect(processes[index]?.chainId).toBe(chainId);
      // The gateway is the only client.
      const { api, gateway: limits } = processes[index] as ReturnType<typeof read>;
      expect(limits.maxStreamsPerClient).toBe(api.maxStreams);
      expect(limits.maxRequestsPerClient).toBe(limits.maxRequestsInFlight);
      expect(limits.maxResponseBytesPerClient).toBe(limits.maxResponseBytesInFlight);
    }
    const ports = processes.flatMap((each) => [each.gateway.port, each.ops.gatewayPort]);
    expect(new Set([...ports, gateway.port, ops.gatewayPort]).size).toBe(6);
    expect(new Set(processes.flatMap(({ ship, store }) => [...ship.urls, store.lmdb.path])).size).toBe(4);
  });
});

describe('the examples', () => {
  const configMaps = readYaml('deploy/kubernetes/config.yaml') as (Manifest & { data: Record<string, string> })[];
  it.each([
    ['deploy/config/standalone.json', readText('deploy/config/standalone.json')],
    ['deploy/config/api-side.json', readText('deploy/config/api-side.json')],
    ['deploy/config/several-chains/gateway.json', readText('deploy/config/several-chains/gateway.json')],
    [
      'deploy/kubernetes/config.yaml',
      configMaps.find(({ metadata }) => metadata.name === 'api-side')?.data['config.json'] ?? '',
    ],
  ])('set a rate limit per client and serve no operations pages to clients: %s', (_, text) => {
    const { api, gateway } = load(text);
    expect(api.rateLimitRpm).toBeGreaterThan(0);
    expect(gateway.publicPaths).toEqual(['live', 'health', 'docs']);
  });
});

/** The first column of its tables has the keys of another service. */
const HYPERION_PAGE = 'docs/moving-from-hyperion.md';

describe('configuration keys and variables in documents', () => {
  const names = readConfigNames();
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    ...listFiles('docs'),
    ...listFiles('.github'),
    ...listFiles('deploy').filter((file) => !file.startsWith('deploy/secrets/')),
  ];

  it('are found when they do not exist', () => {
    const text =
      'See `ship.urls`, store.elasticsearch and `api.limit`; HISTORY_SHIP__URLS, HISTORY_SHIP__URL. gateway.yaml';
    expect(names.keys.size).toBeGreaterThan(50);
    expect(findUnknownNames(text, names)).toEqual(['api.limit', 'HISTORY_SHIP__URL']);
  });

  it.each(files)('exist: %s', (file) => {
    // Former names have a section of their own in docs/configuration.md, and no other file uses them.
    const [text = ''] = readText(file).split('\n## Renamed keys\n');
    const ours = file === HYPERION_PAGE ? text.replaceAll(/^\|[^|]*\|/gm, '|') : text;
    expect(findUnknownNames(ours, names)).toEqual([]);
  });
});
