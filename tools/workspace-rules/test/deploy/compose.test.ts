import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { DEPLOYED_APPS, findComposeErrors, readYaml, readVersion, WORKSPACE_ROOT, SUITE_APPS } from '../../src';
import { withFiles } from './sample-files';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  environment?: Record<string, string | number>;
  networks: string[];
  depends_on?: Record<string, { condition: string }>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  healthcheck?: object;
  mem_limit?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  privileged?: boolean;
  user?: string;
  tmpfs?: string[];
  profiles?: string[];
}

interface Compose {
  name?: string;
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, object>;
  secrets: Record<string, { file: string }>;
}

const [compose] = readYaml('deploy/compose.yaml') as [Compose];
const services = Object.entries(compose.services).map(([name, service]) => ({ name, service }));
const serviceOf = (name: string): Service => compose.services[name] as Service;

describe.each(['deploy/compose.yaml', 'deploy/compose.chains.yaml', 'deploy/compose.services.yaml'])('%s', (file) => {
  it('is valid by the Compose Specification', () => {
    const [read] = readYaml(file);
    expect(findComposeErrors(read)).toEqual([]);
  });
});

describe('the schema of Compose', () => {
  it('reports an unknown key', () => {
    const broken = { services: { a: { image: 'a', enviroment: {}, healthcheck: { interval: 'soon' } } } };
    expect(findComposeErrors(broken).join()).toMatch(/enviroment.*duration/);
  });
});

describe('deploy/compose.yaml', () => {
  it('runs every app of the distributed set from the image of its Dockerfile target', () => {
    const built = services.filter(({ service }) => service.build);
    expect(built.map(({ name }) => name).sort()).toEqual(SUITE_APPS.map(({ name }) => name).sort());
    for (const { name, service } of built) {
      expect(service.build).toEqual({ context: '..', dockerfile: 'deploy/docker/Dockerfile', target: name });
      expect(service.image).toBe(`antelope-history/${name}:${readVersion()}`);
      expect(service.read_only).toBe(true);
    }
  });

  it.each(SUITE_APPS)('configures $name with the servers of its side only', ({ name, side, portVariable, port }) => {
    const environment = { ...serviceOf(name).environment, [portVariable]: String(port) };
    const config = withFiles((toLocal) => {
      const variables = Object.entries(environment).map(([key, value]) => [key, toLocal(expand(String(value)))]);
      return loadConfig(Object.fromEntries(variables) as NodeJS.ProcessEnv, { file: toLocal('empty.json') });
    });
    expect(config.keyValue.kind).toBe('redis');
    expect(config.broker.kind).toBe(side === 'indexing' ? 'rabbitmq' : 'memory');
    const hasStore = name.endsWith('-api') || name === 'indexer';
    expect(config.store.kind).toBe(hasStore ? 'elasticsearch' : 'lmdb');
    if (hasStore) {
      expect(config.store.elasticsearch.username).toBe(name === 'indexer' ? 'history_writer' : 'history_reader');
    }
  });

  it('mounts only the passwords that the configuration of an app names', () => {
    for (const { name, service } of services.filter(({ service: { build } }) => build)) {
      const named = Object.entries(service.environment ?? {})
        .filter(([key]) => key.endsWith('_PASSWORD_FILE'))
        .map(([, file]) => path.basename(String(file)));
      expect([name, [...(service.secrets ?? [])].sort()]).toEqual([name, named.sort()]);
    }
  });

  it('points the gateway to the ports of the APIs', () => {
    const { environment, ports } = serviceOf('gateway');
    for (const { name, port } of SUITE_APPS.filter((app) => app.name.endsWith('-api'))) {
      const variable = `HISTORY_GATEWAY__${name.toUpperCase().replace('-', '_')}_URL`;
      expect(environment?.[variable]).toBe(`http://${name}:${port}`);
    }
    const { port, operationsPort } = DEPLOYED_APPS.find(({ name }) => name === 'gateway') ?? {};
    // Both are bound to the loopback interface by default.
    expect(ports).toEqual([port, operationsPort].map((each) => `127.0.0.1:${each}:${each}`));
  });

  it('connects only the gateway to the clients, and only the reader to the chain', () => {
    const on = (network: string) => services.filter(({ service }) => service.networks.includes(network));
    expect(on('clients').map(({ name }) => name)).toEqual(['gateway']);
    expect(on('chain').map(({ name }) => name)).toEqual(['reader', 'nodeos']);
    expect(services.filter(({ service }) => service.ports).map(({ name }) => name)).toEqual(['gateway']);
    expect([compose.networks['api'], compose.networks['indexing']]).toEqual([{ internal: true }, { internal: true }]);
    for (const { name, side } of SUITE_APPS) expect(serviceOf(name).networks).toContain(side);
    for (const { name } of on('api')) expect(SUITE_APPS.find((app) => app.name === name)?.side).not.toBe('indexing');
  });

  it('limits the memory of every container and starts it after its dependencies', () => {
    for (const { name, service } of services) {
      expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const on = serviceOf(needed);
        const isWatched = on.build !== undefined || on.healthcheck !== undefined;
        expect([needed, condition]).toEqual([needed, isWatched ? 'service_healthy' : 'service_completed_successfully']);
      }
    }
  });

  it('drops all capabilities of every container', () => {
    for (const { name, service } of services) {
      const { cap_drop: dropped, cap_add: added, security_opt: options, privileged } = service;
      expect([name, dropped, added, options, privileged]).toEqual([
        name,
        ['ALL'],
        undefined,
        ['no-new-privileges:true'],
        undefined,
      ]);
    }
  });

  it('makes every root file system read-only', () => {
    for (const { name, service } of services) expect([name, service.read_only]).toEqual([name, true]);
    // A tmpfs counts as memory of the host: it needs a size limit.
    for (const mount of services.flatMap(({ service }) => service.tmpfs ?? []))
      expect(mount).toMatch(/[:,]size=\d+m\b/);
  });

  it('runs each server that reads a password as the owner of the file', () => {
    const servers = services.filter(({ service }) => !service.build && service.secrets);
    expect(servers.map(({ name }) => name)).toEqual(['elasticsearch', 'elasticsearch-users', 'rabbitmq', 'redis']);
    for (const { name, service } of servers)
      expect([name, service.user]).toEqual([name, expect.stringMatching(/^1000\b/)]);
  });

  it('mounts existing files and declares its volumes and secrets', () => {
    const mounted = services
      .flatMap(({ service }) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '');
    for (const source of mounted) {
      if (source.startsWith('.'))
        expect([source, existsSync(path.join(WORKSPACE_ROOT, 'deploy', source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const secret of services.flatMap(({ service }) => service.secrets ?? [])) {
      expect(compose.secrets[secret]).toEqual({ file: `./secrets/${secret}` });
    }
  });

  it('sets a rate limit per client', () => {
    expect(serviceOf('gateway').environment?.['HISTORY_API__RATE_LIMIT_RPM']).toBeGreaterThan(0);
  });

  it('uses the same server versions as the tests', () => {
    const [tested] = readYaml('deploy/compose.services.yaml') as [Compose];
    for (const server of ['elasticsearch', 'rabbitmq', 'redis']) {
      const series = tested.services[server]?.image ?? '';
      expect([server, serviceOf(server).image.startsWith(series)]).toEqual([server, true]);
    }
  });
});

/** `${NAME:-default}` as Compose resolves it when NAME is not set. */
function expand(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

describe('deploy/compose.chains.yaml', () => {
  const [chains] = readYaml('deploy/compose.chains.yaml') as [Compose & { configs: Record<string, { file: string }> }];
  const running = Object.entries(chains.services);

  it('has a gateway for the chains, and a store for each', () => {
    const file = path.join(WORKSPACE_ROOT, 'deploy', chains.configs['gateway']?.file ?? '');
    const config = loadConfig({}, { file });
    const named = Object.entries(config.gateway.chains ?? {});
    expect(named.map(([name]) => name)).toEqual(['eos', 'wax']);
    expect(running.map(([name]) => name)).toEqual(['eos', 'wax', 'gateway']);
    for (const [name, { historyApiUrl, chainApiUrl, traceApiUrl, chainId }] of named) {
      expect([historyApiUrl, chainApiUrl, traceApiUrl].flat()).toEqual(Array(3).fill(`http://${name}:8888`));
      expect(chains.services[name]?.environment?.['HISTORY_CHAIN_ID']).toBe(chainId);
      expect(chains.services[name]?.volumes).toEqual([`${name}:/data`]);
      expect(chains.volumes).toHaveProperty(name);
    }
  });

  it('publishes the gateway only, and limits every container', () => {
    expect(running.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['gateway']);
    expect(chains.networks['chains']).toMatchObject({ internal: true });
    for (const [name, service] of running) {
      const { mem_limit: memory, cap_drop: dropped, read_only: readOnly, security_opt: options } = service;
      expect([name, dropped, readOnly, options]).toEqual([name, ['ALL'], true, ['no-new-privileges:true']]);
      expect(memory).toMatch(/^\d+[mg]$/);
      expect(service.image).toMatch(new RegExp(`^antelope-history/(standalone|gateway):${readVersion()}$`));
    }
  });
});
