import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '@antelope-history/service';
import { DEPLOYED_APPS, findComposeErrors, readYaml, readVersion, ROOT, SUITE_APPS } from '../src';
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

describe.each(['deploy/compose.yaml', 'deploy/compose.services.yaml'])('%s', (file) => {
  it('is as the Compose Specification says', () => {
    const [read] = readYaml(file);
    expect(findComposeErrors(read)).toEqual([]);
  });
});

describe('the schema of Compose', () => {
  it('finds a key that is wrong', () => {
    const broken = { services: { a: { image: 'a', enviroment: {}, healthcheck: { interval: 'soon' } } } };
    expect(findComposeErrors(broken).join()).toMatch(/enviroment.*duration/);
  });
});

describe('deploy/compose.yaml', () => {
  it('runs every app of the suite from the image that its Dockerfile target makes', () => {
    const built = services.filter(({ service }) => service.build);
    expect(built.map(({ name }) => name).sort()).toEqual(SUITE_APPS.map(({ name }) => name).sort());
    for (const { name, service } of built) {
      expect(service.build).toEqual({ context: '..', dockerfile: 'deploy/docker/Dockerfile', target: name });
      expect(service.image).toBe(`antelope-history/${name}:${readVersion()}`);
      expect(service.read_only).toBe(true);
    }
  });

  it.each(SUITE_APPS)(
    'configures $name with what it needs, and its side only',
    ({ name, side, portVariable, port }) => {
      const environment = { ...serviceOf(name).environment, [portVariable]: String(port) };
      const config = withFiles((toLocal) => {
        const variables = Object.entries(environment).map(([key, value]) => [key, toLocal(expand(String(value)))]);
        return loadConfig(['--config', toLocal('empty.json')], Object.fromEntries(variables) as NodeJS.ProcessEnv);
      });
      expect(config.keyValue.kind).toBe('redis');
      expect(config.broker.kind).toBe(side === 'indexing' ? 'rabbitmq' : 'memory');
      const hasStore = name.endsWith('-api') || name === 'indexer';
      expect(config.store.kind).toBe(hasStore ? 'elasticsearch' : 'lmdb');
      if (hasStore) {
        expect(config.store.elasticsearch.username).toBe(name === 'indexer' ? 'history_writer' : 'history_reader');
      }
    },
  );

  it('lets each app read the passwords that its configuration names, and no other', () => {
    for (const { name, service } of services.filter(({ service: { build } }) => build)) {
      const named = Object.entries(service.environment ?? {})
        .filter(([key]) => key.endsWith('_PASSWORD_FILE'))
        .map(([, file]) => path.basename(String(file)));
      expect([name, [...(service.secrets ?? [])].sort()]).toEqual([name, named.sort()]);
    }
  });

  it('takes the gateway to the ports at which the APIs listen', () => {
    const { environment, ports } = serviceOf('gateway');
    for (const { name, port } of SUITE_APPS.filter((app) => app.name.endsWith('-api'))) {
      const variable = `HISTORY_GATEWAY__${name.toUpperCase().replace('-', '_')}_URL`;
      expect(environment?.[variable]).toBe(`http://${name}:${port}`);
    }
    const { port, operationsPort } = DEPLOYED_APPS.find(({ name }) => name === 'gateway') ?? {};
    // Neither is open to the network by default.
    expect(ports).toEqual([port, operationsPort].map((each) => `127.0.0.1:${each}:${each}`));
  });

  it('shows nothing but the gateway to clients, and the chain to nothing but the reader', () => {
    const on = (network: string) => services.filter(({ service }) => service.networks.includes(network));
    expect(on('clients').map(({ name }) => name)).toEqual(['gateway']);
    expect(on('chain').map(({ name }) => name)).toEqual(['reader', 'nodeos']);
    expect(services.filter(({ service }) => service.ports).map(({ name }) => name)).toEqual(['gateway']);
    expect([compose.networks['api'], compose.networks['indexing']]).toEqual([{ internal: true }, { internal: true }]);
    for (const { name, side } of SUITE_APPS) expect(serviceOf(name).networks).toContain(side);
    for (const { name } of on('api')) expect(SUITE_APPS.find((app) => app.name === name)?.side).not.toBe('indexing');
  });

  it('bounds the memory of everything, and starts each after what it needs', () => {
    for (const { name, service } of services) {
      expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const on = serviceOf(needed);
        const isWatched = on.build !== undefined || on.healthcheck !== undefined;
        expect([needed, condition]).toEqual([needed, isWatched ? 'service_healthy' : 'service_completed_successfully']);
      }
    }
  });

  it('gives no container a right that it does not need', () => {
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

  it('lets no container write but to its volumes and to memory', () => {
    for (const { name, service } of services) expect([name, service.read_only]).toEqual([name, true]);
    // Memory that a container writes to is bounded, as the rest of its memory is.
    for (const mount of services.flatMap(({ service }) => service.tmpfs ?? []))
      expect(mount).toMatch(/[:,]size=\d+m\b/);
  });

  it('runs each server that reads a password as the user who may', () => {
    const servers = services.filter(({ service }) => !service.build && service.secrets);
    expect(servers.map(({ name }) => name)).toEqual(['elasticsearch', 'elasticsearch-users', 'rabbitmq', 'redis']);
    for (const { name, service } of servers)
      expect([name, service.user]).toEqual([name, expect.stringMatching(/^1000\b/)]);
  });

  it('mounts only files that are there, and declares what it names', () => {
    const mounted = services
      .flatMap(({ service }) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '');
    for (const source of mounted) {
      if (source.startsWith('.'))
        expect([source, existsSync(path.join(ROOT, 'deploy', source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const secret of services.flatMap(({ service }) => service.secrets ?? [])) {
      expect(compose.secrets[secret]).toEqual({ file: `./secrets/${secret}` });
    }
  });

  it('limits the rate of each client', () => {
    expect(serviceOf('gateway').environment?.['HISTORY_API__RATE_LIMIT_RPM']).toBeGreaterThan(0);
  });

  it('is of the same versions of the servers as the tests', () => {
    const [tested] = readYaml('deploy/compose.services.yaml') as [Compose];
    for (const server of ['elasticsearch', 'rabbitmq', 'redis']) {
      const series = tested.services[server]?.image ?? '';
      expect([server, serviceOf(server).image.startsWith(series)]).toEqual([server, true]);
    }
  });
});

/** `${NAME:-else}` as Compose reads it when NAME is not set. */
function expand(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}
