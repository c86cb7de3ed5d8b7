import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  DEPLOYED_APPS,
  findDockerfileErrors,
  readJson,
  readStages,
  readText,
  readVersion,
  WORKSPACE_ROOT,
  type Stage,
  textsOf,
} from '../../src';

const text = readText('deploy/docker/Dockerfile');
const stages = new Map(readStages(text).map((stage) => [stage.name, stage]));

function stageOf(name: string): Stage {
  const stage = stages.get(name);
  if (!stage) throw new Error(`no stage ${name}`);
  return stage;
}

/** Long-term support lines of Node.js that last another year from 2026-11-22 (github.com/nodejs/release); 20 ended in April. */
const MAINTAINED = [24];

describe('deploy/docker/Dockerfile', () => {
  it('is valid', () => {
    expect(findDockerfileErrors(text)).toEqual([]);
    expect(findDockerfileErrors('FROM a AS b\nHEALTCHECK CMD x\n')).not.toEqual([]);
  });

  it('builds on one image with an exact, supported version of Node.js', () => {
    const images = new Set([...stages.values()].map(({ base }) => base).filter((base) => !stages.has(base)));
    expect([...images]).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/)]);
    const [image = ''] = images;
    const [major = 0, minor = 0] = (/\d+\.\d+/.exec(image)?.[0] ?? '').split('.').map(Number);
    const { engines } = readJson('package.json') as { engines: { node: string } };
    const [lowestMajor = 0, lowestMinor = 0] = engines.node.replace('>=', '').split('.').map(Number);
    expect(major > lowestMajor || (major === lowestMajor && minor >= lowestMinor)).toBe(true);
    expect(MAINTAINED).toContain(major);
  });

  it('has a target for every app', () => {
    const apps = readdirSync(path.join(WORKSPACE_ROOT, 'apps')).filter((app) =>
      existsSync(path.join(WORKSPACE_ROOT, 'apps', app, 'src/main.ts')),
    );
    expect(DEPLOYED_APPS.map(({ name }) => name).sort()).toEqual(apps.sort());
    const targets = [...stages.values()].filter(({ base }) => base === 'runtime').map(({ name }) => name);
    expect(targets.sort()).toEqual(apps.sort());
  });

  it('copies existing files only', () => {
    const sources = [...stages.values()]
      .flatMap((stage) => textsOf(stage, 'COPY'))
      .filter((copy) => !copy.startsWith('--from='))
      .flatMap((copy) => copy.split(/\s+/).slice(0, -1));
    expect(sources).toEqual(['.', 'deploy/docker/live.mjs']);
    for (const source of sources) expect(existsSync(path.join(WORKSPACE_ROOT, source))).toBe(true);
  });

  it('runs as an unprivileged user and contains no secret', () => {
    expect(textsOf(stageOf('runtime'), 'USER')).toEqual(['node']);
    for (const { name } of DEPLOYED_APPS) expect(textsOf(stageOf(name), 'USER')).toEqual([]);
    expect(text).not.toMatch(/^(ARG|ENV) .*(PASSWORD|TOKEN|SECRET|KEY=)/m);
    expect(textsOf(stageOf('runtime'), 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it.each(DEPLOYED_APPS)('starts $name from its bundle, with a health check on its operations port', (app) => {
    const { name, port, portVariable, operationsPort, operationsVariable } = app;
    const stage = stageOf(name);
    expect(textsOf(stage, 'ENTRYPOINT')).toEqual([`["node", "apps/${name}/dist/main.js"]`]);
    expect(textsOf(stage, 'COPY')[0]).toBe(`--from=${name}-files /app ./`);
    expect(textsOf(stageOf(`${name}-files`), 'RUN').join()).toContain(`bundle-app.mjs ${name} /app`);
    expect(textsOf(stage, 'EXPOSE')).toEqual([[...new Set([port, operationsPort])].join(' ')]);
    expect(textsOf(stage, 'HEALTHCHECK').join()).toContain(`CMD ["node", "live.mjs", "${operationsPort}"]`);
    const environment = textsOf(stage, 'ENV').join(' ').split(/\s+/);
    expect(environment).toContain(`${portVariable}=${port}`);
    expect(environment).toContain(`${operationsVariable}=${operationsPort}`);
    expect(environment).toContain('HISTORY_OPS__HOST=0.0.0.0');
    const hostVariable = portVariable.startsWith('HISTORY_OPS__')
      ? 'HISTORY_OPS__HOST'
      : portVariable.replace(/PORT$/, 'HOST');
    expect(environment).toContain(`${hostVariable}=0.0.0.0`);
  });
});

describe('.dockerignore', () => {
  const lines = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

  it('admits only the inputs of the build', () => {
    expect(lines[0]).toBe('*');
    const named = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(named.sort()).toEqual(
      [
        '.npmrc',
        'apps',
        'deploy/docker/*.mjs',
        'libs',
        'package-lock.json',
        'package.json',
        'tools',
        'tsconfig.base.json',
        'tsconfig.json',
      ].sort(),
    );
  });

  it('excludes build output, installed packages and secrets', () => {
    expect(lines).toEqual(expect.arrayContaining(['**/node_modules', '**/dist', '**/*.tsbuildinfo', '**/.env*']));
  });
});

describe('nx image', () => {
  it.each(DEPLOYED_APPS)('is a target of $name, as nx serve is', ({ name }) => {
    const { nx, version } = readJson(`apps/${name}/package.json`) as { nx: { targets: object }; version: string };
    expect(nx.targets).toEqual({ image: {}, serve: {} });
    expect(version).toBe(readVersion());
  });
});
