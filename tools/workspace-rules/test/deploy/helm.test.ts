import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Config, loadConfig } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { describeWithPrograms } from '@antelope-history/servers';
import { CHART, findManifestErrors, Helm, type Manifest, readVersion, readYaml, SUITE_APPS } from '../../src';
import { withFiles } from './sample-files';

interface Container {
  image: string;
  args: string[];
  ports: unknown;
  volumeMounts: { name: string }[];
}

interface Workload extends Manifest {
  spec: {
    replicas?: number;
    strategy?: object;
    template: {
      metadata: { annotations: Record<string, string> };
      spec: { containers: Container[]; volumes: object[] };
    };
  };
}

const NODE = { ship: { urls: ['ws://node:8080'] } };
const STANDALONE = { config: { standalone: NODE } };
const SUITE = {
  mode: 'suite',
  config: { indexing: NODE },
  passwords: { indexing: 'indexing-side', api: 'api-side' },
  nodeSelector: { indexing: { 'history/side': 'indexing' }, api: { 'history/side': 'api' } },
  ingress: { enabled: true, host: 'history.example', tlsSecret: 'history-tls' },
};
const apis = (port: number) => ({
  history_api_url: `http://a:${port}`,
  chain_api_url: `http://a:${port}`,
  trace_api_url: `http://a:${port}`,
});
const CHAINS = {
  mode: 'gateway',
  config: { api: { gateway: { chains: { eos: apis(1), wax: apis(2) } } } },
  ingress: { enabled: true, host: 'history.example' },
};

function named(manifests: Manifest[], kind: string, end: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name.endsWith(end));
  if (!found) throw new Error(`no ${kind} ${end}`);
  return found;
}

const ofKind = (manifests: Manifest[], kind: string): Manifest[] => manifests.filter((each) => each.kind === kind);

/** The configuration that the pods of a side load, with the files that it names. */
function configOf(manifests: Manifest[], side: string): Config {
  const { data } = named(manifests, 'ConfigMap', `-${side}`) as Manifest & { data: Record<string, string> };
  return withFiles((toLocal) => {
    const file = path.join(path.dirname(toLocal('empty.json')), 'config.json');
    writeFileSync(file, toLocal(data['config.json'] ?? ''));
    return loadConfig({}, { file });
  });
}

describeWithPrograms(['java', 'mvn'], () => {
  describe('the Helm chart', () => {
    let helm: Helm;
    beforeAll(() => (helm = Helm.open()), 120_000);
    afterAll(() => helm.close());

    it('has the version of the service, and no fault that Helm finds', async () => {
      const [chart] = readYaml('deploy/helm/antelope-history/Chart.yaml') as [{ version: string; appVersion: string }];
      expect([chart.version, chart.appVersion]).toEqual([readVersion(), readVersion()]);
      expect(await helm.lint()).not.toMatch(/ERROR|WARNING/);
    });

    it.each([
      ['one process', STANDALONE],
      ['the suite', SUITE],
      ['a gateway of several chains', CHAINS],
      ['the suite without policies', { ...SUITE, networkPolicies: { enabled: false } }],
    ])('makes manifests that are valid by the API: %s', async (_, values) => {
      const manifests = await helm.template('eos', values);
      expect(manifests.length).toBeGreaterThan(3);
      for (const manifest of manifests)
        expect([manifest.metadata.name, findManifestErrors(manifest)]).toEqual([manifest.metadata.name, []]);
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { metadata } of manifests) expect(metadata.name.length).toBeLessThanOrEqual(63);
    });

    it('runs the apps of the suite as deploy/kubernetes does', async () => {
      const rendered = await helm.template('eos', SUITE);
      const plain = ['indexing', 'api'].flatMap((file) => readYaml(`deploy/kubernetes/${file}.yaml`) as Manifest[]);
      expect(ofKind(rendered, 'Deployment')).toHaveLength(SUITE_APPS.length);
      for (const { name } of SUITE_APPS) {
        const [ours, theirs] = [rendered, plain].map((from) =>
          withoutNames(named(from, 'Deployment', name) as Workload),
        );
        expect(ours).toEqual(theirs);
      }
      for (const kind of ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Service'])
        expect([kind, ofKind(rendered, kind).length]).toEqual([kind, ofKind(plain, kind).length]);
    });

    it('configures each side of the suite with its servers and passwords', async () => {
      const manifests = await helm.template('eos', SUITE);
      const { store, broker, keyValue, ship } = configOf(manifests, 'indexing');
      expect([store.kind, broker.kind, keyValue.kind, ship.urls]).toEqual([
        'elasticsearch',
        'rabbitmq',
        'redis',
        NODE.ship.urls,
      ]);
      expect([store.elasticsearch.username, store.elasticsearch.password]).toEqual(['history_writer', 'secret']);
      expect([broker.rabbitmq.password, keyValue.redis.password]).toEqual(['secret', 'secret']);
      const api = configOf(manifests, 'api');
      expect([api.store.elasticsearch.username, api.gateway.historyApiUrl]).toEqual([
        'history_reader',
        ['http://eos-antelope-history-history-api:8891'],
      ]);
      expect(api.api.rateLimitRpm).toBeGreaterThan(0);
    });

    it('passes keys of the configuration on unchanged, and prefers them to its own', async () => {
      const own = {
        ...NODE,
        store: { lmdb: { map_size_bytes: 4_398_046_511_104 } },
        gateway: { max_connections: 123_456 },
      };
      const { store, gateway } = configOf(await helm.template('eos', { config: { standalone: own } }), 'standalone');
      expect([store.lmdb.mapSizeBytes, gateway.maxConnections]).toEqual([4_398_046_511_104, 123_456]);
      const user = { store: { elasticsearch: { username: 'other', urls: ['http://es:9200'] } } };
      const suite = await helm.template('eos', { ...SUITE, config: { ...SUITE.config, api: user } });
      const { elasticsearch } = configOf(suite, 'api').store;
      expect([elasticsearch.username, elasticsearch.urls]).toEqual(['other', ['http://es:9200']]);
    });

    it('replaces the pods when their configuration changes', async () => {
      const checksums: (string | undefined)[] = [];
      for (const url of ['ws://a:1', 'ws://b:1']) {
        const manifests = await helm.template('eos', { config: { standalone: { ship: { urls: [url] } } } });
        const { template } = (named(manifests, 'StatefulSet', 'standalone') as Workload).spec;
        checksums.push(template.metadata.annotations['checksum/config']);
      }
      expect(checksums[0]).toMatch(/^[0-9a-f]{64}$/);
      expect(new Set(checksums).size).toBe(2);
    });

    it('serves several chains with a gateway of its own', async () => {
      const manifests = await helm.template('all', CHAINS);
      expect(Object.keys(configOf(manifests, 'api').gateway.chains ?? {})).toEqual(['eos', 'wax']);
      expect(ofKind(manifests, 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
        'all-antelope-history-gateway',
      ]);
    });

    it.each([
      ['the suite', SUITE, ''],
      ['a chain of several', CHAINS, '/wax'],
    ])('exposes the paths of clients only: %s', async (_, values, prefix) => {
      interface Ingress extends Manifest {
        spec: { rules: { http: { paths: { path: string; pathType: string }[] } }[] };
      }
      const ingress = named(await helm.template('eos', values), 'Ingress', '') as Ingress;
      const paths = ingress.spec.rules.flatMap(({ http }) => http.paths);
      const passes = (wanted: string): boolean =>
        paths.some(({ path: at, pathType }) =>
          pathType === 'Exact' ? wanted === at : wanted === at || wanted.startsWith(`${at}/`),
        );
      const shown = [
        ...Object.values(ROUTES).map((route) => route.path),
        '/docs',
        '/docs/start.js',
        '/openapi.json',
        '/health',
      ];
      expect(shown.map((at) => prefix + at).filter((wanted) => !passes(wanted))).toEqual([]);
      expect(
        ['/', '/metrics', '/live', '/v1', `${prefix}/`, `${prefix}/metrics`, '/v1/producer/pause'].filter(passes),
      ).toEqual([]);
    });

    it.each<[string, object, RegExp]>([
      ['no node', {}, /no node is named: set config\.standalone\.ship\.urls/],
      ['no chain', { mode: 'gateway' }, /no chain is named: set config\.api\.gateway\.chains/],
      ['an unknown value', { ...STANDALONE, replicas: 3 }, /replicas/],
      ['an unknown mode', { ...STANDALONE, mode: 'cluster' }, /mode/],
      ['two readers', { ...SUITE, apps: { reader: { replicas: 2 } } }, /reader/],
      ['an ingress without host', { ...STANDALONE, ingress: { enabled: true } }, /ingress\.host is missing/],
    ])('refuses %s and says what to change', async (_, values, expected) => {
      await expect(helm.template('eos', values)).rejects.toThrow(expected);
    });

    it('works as an archive', async () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-chart-'));
      const archive = path.join(folder, 'chart.tgz');
      execFileSync('tar', ['-czf', archive, '-C', path.dirname(CHART), path.basename(CHART)]);
      expect(await helm.template('eos', STANDALONE, archive)).toEqual(await helm.template('eos', STANDALONE));
      rmSync(folder, { recursive: true });
    });
  });
});

describe('the values of the Helm chart', () => {
  it('are explained by a comment before each section', () => {
    const lines = readFileSync(path.join(CHART, 'values.yaml'), 'utf8').split('\n');
    const sections = lines.flatMap((line, at) => (/^[a-zA-Z]+:/.test(line) ? [at] : []));
    expect(sections.length).toBeGreaterThan(6);
    const bare = sections.filter((at) => !`${lines[at - 1]}${lines[at + 1]}`.includes('#'));
    expect(bare.map((at) => lines[at])).toEqual([]);
  });
});

/** The parts of a Deployment that do not depend on the names of the release. */
function withoutNames({ spec }: Workload) {
  const { annotations } = spec.template.metadata;
  const { containers, volumes, ...pod } = spec.template.spec as Workload['spec']['template']['spec'] & {
    topologySpreadConstraints?: unknown;
  };
  const [container] = containers;
  return {
    replicas: spec.replicas,
    strategy: spec.strategy,
    port: annotations['prometheus.io/port'],
    volumes: volumes.length,
    pod: { ...pod, topologySpreadConstraints: undefined },
    container: { ...container, image: container?.image.replace(/:.*$/, ''), imagePullPolicy: undefined },
  };
}
