import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { DEPLOYED_APPS, findErrorsIn, findWorkflowErrors, listFiles, readText, readYaml, ROOT } from '../src';

interface Workflow {
  name: string;
  on: Record<'push' | 'pull_request', { paths: string[]; branches?: string[]; tags?: string[] }>;
  jobs: Record<string, { uses?: string; with?: object; steps?: { uses?: string; run?: string; with?: object }[] }>;
}

const FOLDER = '.github/workflows';
const files = listFiles(FOLDER);
const workflowOf = (name: string): Workflow => (readYaml(`${FOLDER}/${name}.yml`) as [Workflow])[0];

describe.each(files)('%s', (file) => {
  it('is a workflow without faults', async () => {
    expect(await findWorkflowErrors(file)).toEqual([]);
  });

  it('uses actions by the hash of a commit, with the version beside it', () => {
    const used = [...readText(file).matchAll(/^ *(?:- )?uses: (.*)$/gm)].map(([, action = '']) => action);
    for (const action of used.filter((each) => !each.startsWith('./'))) {
      expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('may only read', () => {
    const [workflow] = readYaml(file) as [{ permissions: object }];
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });
});

describe('the linter', () => {
  it('finds what is wrong', async () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    step: []\n';
    expect((await findErrorsIn(text, 'broken.yml')).join()).toContain('"step"');
  });
});

describe('the pipelines', () => {
  it('are one per app, besides the whole and what they share', () => {
    const names = files.map((file) => path.basename(file, '.yml'));
    expect(names.sort()).toEqual([...DEPLOYED_APPS.map(({ name }) => name), 'app', 'ci', 'release'].sort());
  });

  it('run on a line of Node.js that is maintained, and test every one that the service runs on', () => {
    const versionsOf = (name: string) =>
      Object.values(workflowOf(name).jobs).flatMap(({ steps = [] }) =>
        steps.flatMap((step) => (step.with as { 'node-version'?: unknown } | undefined)?.['node-version'] ?? []),
      );
    expect([versionsOf('app'), versionsOf('release')]).toEqual([[24], [24]]);
    const { check } = workflowOf('ci').jobs as Record<string, { strategy?: { matrix: { node: number[] } } }>;
    expect(check?.strategy?.matrix.node).toEqual([20, 22, 24]);
  });

  it('ask for known faults of what the apps run on, and write its list for a release', () => {
    const commandsOf = (name: string) =>
      Object.values(workflowOf(name).jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
    expect(commandsOf('ci')).toContain('npm audit --omit=dev --audit-level=high');
    expect(commandsOf('release')).toContain('npm run sbom -- sbom.cdx.json');
    expect(workflowOf('release').on.push.tags).toEqual(['v*']);
  });

  it.each(DEPLOYED_APPS)('$name has its own, for its own part of the workspace', ({ name }) => {
    const { name: title, on, jobs } = workflowOf(name);
    expect(title).toBe(name);
    expect(jobs).toEqual({ [name]: { uses: './.github/workflows/app.yml', with: { app: name } } });
    expect(on.push.branches).toEqual(['main']);
    expect(on.push.paths).toEqual(on.pull_request.paths);
    const watched = ['libs/**', 'tools/**', 'deploy/docker/**', '.dockerignore', 'package-lock.json', 'nx.json'];
    expect(on.push.paths).toEqual(
      expect.arrayContaining([`apps/${name}/**`, `${FOLDER}/${name}.yml`, `${FOLDER}/app.yml`, ...watched]),
    );
    const others = DEPLOYED_APPS.filter((app) => app.name !== name).map((app) => `apps/${app.name}/**`);
    expect(on.push.paths.filter((each) => others.includes(each))).toEqual([]);
  });

  it('lint, typecheck, test and build what is affected, and make the image', () => {
    const steps = Object.values(workflowOf('app').jobs).flatMap((job) => job.steps ?? []);
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands).toContain('npm ci');
    // Without the history there is nothing to compare with.
    expect(steps).toContainEqual(expect.objectContaining({ with: expect.objectContaining({ 'fetch-depth': 0 }) }));
    expect(commands).toContain('npx nx affected -t lint typecheck test build --exclude "$OUTSIDE"');
    expect(commands).toContain('npx nx affected -t image --exclude "$OUTSIDE"');
  });

  it('leave out of each app what is not of it', () => {
    const script = path.join(ROOT, 'tools/run/outside-app.mjs');
    const outside = execFileSync(process.execPath, [script, 'gateway'], { encoding: 'utf8' }).trim().split(',');
    const names = outside.map((name) => name.replace('@antelope-history/', ''));
    expect(names).toEqual(expect.arrayContaining(['reader', 'standalone', 'reader-stage', 'endpoint-kit', 'e2e']));
    for (const inside of ['gateway', 'gateway-proxy', 'key-value', 'service', 'schemas'])
      expect(names).not.toContain(inside);
  });
});
