import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DEPLOYED_APPS, readConfigNames, WORKSPACE_ROOT, SUITE_APPS } from '../../src';

interface Entry {
  name: string;
  cwd: string;
  script: string;
  args: string[];
  kill_timeout: number;
  instances?: number;
  env?: Record<string, string | number>;
  increment_var?: string;
}

const load = createRequire(__filename);
const { apps } = load(path.join(WORKSPACE_ROOT, 'deploy/pm2/ecosystem.config.cjs')) as { apps: Entry[] };

describe('deploy/pm2/ecosystem.config.cjs', () => {
  it('has an entry for every app', () => {
    expect(apps.map(({ name }) => name).sort()).toEqual(DEPLOYED_APPS.map(({ name }) => name).sort());
  });

  it.each(apps)('starts the built $name and gives it time to stop', ({ name, cwd, script, args, kill_timeout }) => {
    expect([cwd, script]).toEqual([WORKSPACE_ROOT, `apps/${name}/dist/main.js`]);
    expect(existsSync(path.join(cwd, 'apps', name, 'src/main.ts'))).toBe(true);
    expect(args).toEqual(['--config', '/etc/antelope-history/config.json']);
    // An app stops within eight seconds.
    expect(kill_timeout).toBeGreaterThan(8_000);
  });

  it('sets the operations port of each API', () => {
    for (const { name, operationsPort, operationsVariable } of DEPLOYED_APPS.filter((app) =>
      app.name.endsWith('-api'),
    )) {
      expect(apps.find((app) => app.name === name)?.env).toEqual({ [operationsVariable]: operationsPort });
    }
  });

  it('assigns a distinct port to every worker', () => {
    const { variables } = readConfigNames();
    const ports = apps.flatMap(({ instances = 1, env = {}, increment_var: counted }) => {
      for (const variable of Object.keys(env)) expect(variables).toContain(variable);
      return counted === undefined ? [] : Array.from({ length: instances }, (_, index) => Number(env[counted]) + index);
    });
    expect(ports.length).toBeGreaterThan(2);
    const single = SUITE_APPS.flatMap(({ port, operationsPort }) => [...new Set([port, operationsPort])]);
    expect(new Set([...ports, ...single]).size).toBe(ports.length + single.length);
    for (const { instances, increment_var: counted } of apps) if (instances) expect(counted).toBeDefined();
  });
});
