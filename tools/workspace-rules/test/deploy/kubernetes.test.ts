import { existsSync } from 'node:fs';
import path from 'node:path';
import { ROUTES } from '@antelope-history/routes';
import {
  DEPLOYED_APPS,
  findManifestErrors,
  listFiles,
  type Manifest,
  readVersion,
  readYaml,
  WORKSPACE_ROOT,
  SUITE_APPS,
} from '../../src';

const FOLDER = 'deploy/kubernetes';
const files = listFiles(FOLDER).filter((file) => !file.endsWith('kustomization.yaml'));
const manifests = files.flatMap((file) => (readYaml(file) as Manifest[]).map((manifest) => ({ file, manifest })));
const [kustomization] = readYaml(`${FOLDER}/kustomization.yaml`) as [Kustomization];

interface Kustomization {
  namespace: string;
  resources: string[];
  images: { name: string; newTag: string }[];
}

interface Named {
  name: string;
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Pod {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    automountServiceAccountToken: boolean;
    nodeSelector?: Record<string, string>;
    securityContext: { runAsNonRoot: boolean };
    containers: {
      image: string;
      ports?: { name: string; containerPort: number }[];
      resources: { requests: Record<string, string>; limits: { memory: string } };
      securityContext: { allowPrivilegeEscalation: boolean; readOnlyRootFilesystem?: boolean; capabilities: object };
      startupProbe?: Probe;
      livenessProbe?: Probe;
      readinessProbe?: Probe;
      volumeMounts?: (Named & { subPath?: string; mountPath: string })[];
    }[];
    volumes?: (Named & { configMap?: Named; secret?: { secretName: string }; emptyDir?: { sizeLimit: string } })[];
  };
}

interface Workload extends Manifest {
  spec: { replicas?: number; strategy?: object; selector: { matchLabels: Record<string, string> }; template: Pod };
}

interface Peer {
  namespaceSelector?: { matchLabels: Record<string, string> };
  podSelector?: { matchLabels?: Record<string, string>; matchExpressions?: { key: string; values: string[] }[] };
}

interface IngressRules extends Manifest {
  spec: { rules: { http: { paths: { path: string; pathType: string }[] } }[] };
}

interface Policy extends Manifest {
  spec: {
    podSelector: { matchLabels?: Record<string, string> };
    ingress?: { from?: Peer[]; ports: { port: number }[] }[];
    egress?: { to?: Peer[]; ports: { port: number }[] }[];
  };
}

const NAME = 'app.kubernetes.io/name';

interface Kinds {
  ConfigMap: Manifest & { data: Record<string, string> };
  Deployment: Workload;
  HorizontalPodAutoscaler: Manifest;
  Ingress: IngressRules;
  Job: Workload;
  NetworkPolicy: Policy;
  PodDisruptionBudget: Manifest;
  Secret: Manifest & { stringData: object };
  Service: Manifest & { spec: { selector: Record<string, string>; ports: { port: number }[] } };
  StatefulSet: Workload;
}

function ofKind<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind][] {
  return manifests.filter(({ manifest }) => manifest.kind === kind).map(({ manifest }) => manifest as Kinds[Kind]);
}

function find<Kind extends keyof Kinds>(kind: Kind, name: string): Kinds[Kind] {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet'), ...ofKind('Job')];

describe('deploy/kubernetes', () => {
  it.each(manifests)('$file: $manifest.kind $manifest.metadata.name is valid by the API', ({ manifest }) => {
    expect(findManifestErrors(manifest)).toEqual([]);
  });

  it('is reported when it is invalid', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    expect(findManifestErrors({ ...service, spec: { prots: [] } } as Manifest)).toEqual(['/spec/prots: no such key']);
    expect(findManifestErrors({ ...service, spec: { ports: 80 } } as Manifest)).toEqual([
      expect.stringContaining('ports'),
    ]);
    expect(findManifestErrors({ ...service, kind: 'Servce' })).toEqual([expect.stringContaining('unknown kind')]);
  });

  it('applies everything but the example secrets and the servers for evaluation', () => {
    const applied = kustomization.resources.map((file) => `${FOLDER}/${file}`);
    expect(applied.sort()).toEqual(files.filter((file) => !/(servers|secrets\.example)\.yaml$/.test(file)));
    const names = manifests.map(({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`);
    expect(names.length).toBe(new Set(names).size);
  });

  it('contains no password', () => {
    for (const secret of ofKind('Secret')) {
      expect(new Set(Object.values(secret.stringData))).toEqual(new Set(['CHANGE_ME']));
    }
  });
});

describe.each(SUITE_APPS)('$name', ({ name, side, port, operationsPort }) => {
  const { spec } = find('Deployment', name);
  const [container] = spec.template.spec.containers;
  const isWorker = side === 'indexing';
  const opsPort = { name: 'ops', containerPort: operationsPort };

  it('runs its image on its port, on the nodes of its side', () => {
    expect(container?.image).toBe(`antelope-history/${name}`);
    expect(kustomization.images).toContainEqual({ name: `antelope-history/${name}`, newTag: readVersion() });
    expect(container?.ports).toEqual(isWorker ? [opsPort] : [{ name: 'http', containerPort: port }, opsPort]);
    expect(spec.template.spec.nodeSelector).toEqual({ 'history/side': side });
  });

  it('is probed and scraped on its operations port, which no Service exposes', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: '/live', port: 'ops' },
      { path: '/live', port: 'ops' },
      { path: '/health', port: 'ops' },
    ]);
    expect(spec.template.metadata.annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': String(operationsPort),
    });
    const services = ofKind('Service').filter(({ metadata }) => metadata.name === name);
    expect(services.flatMap((service) => service.spec.ports.map((each) => each.port))).toEqual(isWorker ? [] : [port]);
  });

  it('mounts the configuration and the passwords of its side only', () => {
    const volumes = spec.template.spec.volumes ?? [];
    expect(volumes.flatMap(({ configMap, secret }) => [configMap?.name, secret?.secretName]).filter(Boolean)).toEqual([
      `${side}-side`,
      `${side}-side`,
    ]);
  });

  it('scales as its side does', () => {
    const scaled = ofKind('HorizontalPodAutoscaler').map(({ metadata }) => metadata.name);
    const budgets = ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(scaled.includes(name)).toBe(side === 'api');
    expect(budgets.includes(name)).toBe(name !== 'reader');
    // A fixed number would reset the autoscaler's at every apply.
    if (side === 'api') expect(spec.replicas).toBeUndefined();
    if (name === 'reader') expect([spec.replicas, spec.strategy]).toEqual([1, { type: 'Recreate' }]);
  });

  it('accepts traffic only from the peers of its policy', () => {
    const policy = find('NetworkPolicy', name).spec;
    expect(policy.podSelector.matchLabels).toEqual({ [NAME]: name });
    const monitoring = { from: [namespace('monitoring')], ports: [{ port: operationsPort }] };
    const requests = { from: [CLIENTS_OF[name]], ports: [{ port }] };
    expect(policy.ingress).toEqual(isWorker ? [monitoring] : [requests, monitoring]);
    expect(namesOf(policy.egress?.flatMap(({ to }) => to ?? []))).toEqual(REACHES[name]);
  });
});

const namespace = (name: string): Peer => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});
const pods = (name: string): Peer => ({ podSelector: { matchLabels: { [NAME]: name } } });

/** The clients that may send requests to each app. */
const CLIENTS_OF: Record<string, Peer> = {
  gateway: namespace('ingress-nginx'),
  'history-api': pods('gateway'),
  'chain-api': pods('gateway'),
  'trace-api': pods('gateway'),
};

/** The peers that each app may connect to, besides DNS and the chain's nodes. */
const REACHES: Record<string, string[]> = {
  reader: ['rabbitmq', 'redis'],
  deserializer: ['rabbitmq', 'redis'],
  indexer: ['elasticsearch', 'rabbitmq', 'redis'],
  'history-api': ['elasticsearch', 'redis'],
  'chain-api': ['elasticsearch', 'redis'],
  'trace-api': ['elasticsearch', 'redis'],
  gateway: ['history-api', 'chain-api', 'trace-api', 'redis'],
};

function namesOf(peers: Peer[] = []): string[] {
  return peers.flatMap(({ podSelector }) => podSelector?.matchLabels?.[NAME] ?? []);
}

describe('every workload', () => {
  it.each(workloads)(
    '$metadata.name has no privileges, a memory limit and a read-only file system',
    ({ spec: { template } }) => {
      const { spec } = template;
      expect([spec.automountServiceAccountToken, spec.securityContext.runAsNonRoot]).toEqual([false, true]);
      for (const { resources, securityContext } of spec.containers) {
        expect(resources.limits.memory).toMatch(/^\d+[MG]i$/);
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    },
  );

  it.each(workloads)('$metadata.name mounts existing volumes and files', ({ spec: { template } }) => {
    const { containers, volumes = [] } = template.spec;
    for (const { secret, configMap, emptyDir } of volumes) {
      if (emptyDir) expect(emptyDir.sizeLimit).toMatch(/^\d+Mi$/);
      if (secret) find('Secret', secret.secretName);
      if (configMap && !configMap.name.endsWith('-settings')) find('ConfigMap', configMap.name);
    }
    for (const { name, subPath } of containers.flatMap(({ volumeMounts }) => volumeMounts ?? [])) {
      const settings = volumes.find((volume) => volume.name === name)?.configMap?.name;
      const [, server] = /^(\w+)-settings$/.exec(settings ?? '') ?? [];
      if (server && subPath)
        expect([subPath, existsSync(path.join(WORKSPACE_ROOT, 'deploy', server, subPath))]).toEqual([subPath, true]);
    }
  });

  it.each(ofKind('Service'))('Service $metadata.name selects existing pods', ({ metadata, spec }) => {
    expect(spec.selector).toEqual({ [NAME]: metadata.name });
    expect(workloads.map(({ spec: { template } }) => template.metadata.labels[NAME])).toContain(metadata.name);
  });

  it('uses the images of the compose file', () => {
    const [compose] = readYaml('deploy/compose.yaml') as [{ services: Record<string, { image: string }> }];
    const images = Object.values(compose.services).map(({ image }) => image);
    for (const { spec } of [...ofKind('StatefulSet'), ...ofKind('Job')]) {
      for (const { image } of spec.template.spec.containers) expect(images).toContain(image);
    }
  });

  it('has a gateway whose URLs are the Services of the APIs', () => {
    const { data } = find('ConfigMap', 'api-side');
    const { gateway } = JSON.parse(data['config.json'] ?? '') as { gateway: Record<string, string> };
    for (const { name, port } of DEPLOYED_APPS.filter((app) => app.name.endsWith('-api'))) {
      expect(gateway[`${name.replace('-', '_')}_url`]).toBe(`http://${name}:${port}`);
      const { spec } = find('Service', name);
      expect(spec.ports.map((each) => each.port)).toEqual([port]);
    }
  });
});

describe('the ingress', () => {
  it('exposes the paths of clients only', () => {
    const paths = find('Ingress', 'gateway').spec.rules.flatMap(({ http }) => http.paths);
    const passes = (wanted: string): boolean =>
      paths.some(({ path: at, pathType }) =>
        pathType === 'Exact' ? wanted === at : wanted === at || wanted.startsWith(`${at}/`),
      );
    const shown = [...Object.values(ROUTES).map((route) => route.path), '/docs', '/docs/start.js', '/openapi.json'];
    expect([...shown, '/health'].filter((wanted) => !passes(wanted))).toEqual([]);
    expect(['/', '/metrics', '/live', '/health/x', '/v1', '/v1/producer/pause', '/docsx'].filter(passes)).toEqual([]);
  });

  it('trusts few proxy addresses, not a whole cluster', () => {
    const { data } = find('ConfigMap', 'api-side');
    const { gateway } = JSON.parse(data['config.json'] ?? '') as { gateway: { trusted_proxies: string[] } };
    expect(gateway.trusted_proxies.length).toBeGreaterThan(0);
    for (const range of gateway.trusted_proxies) expect(Number(range.split('/')[1] ?? 32)).toBeGreaterThanOrEqual(24);
  });
});
