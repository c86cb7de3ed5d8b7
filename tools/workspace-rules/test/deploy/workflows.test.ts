import { execFileSync } from 'node:child_process';
import path from 'node:path';
import {
  affectedBy,
  DEPLOYED_APPS,
  findErrorsIn,
  findWorkflowErrors,
  listFiles,
  readText,
  readYaml,
  WORKSPACE_ROOT,
} from '../../src';

interface Job {
  uses?: string;
  with?: object;
  needs?: string;
  if?: string;
  steps?: { uses?: string; run?: string; with?: object }[];
}

interface Workflow {
  name: string;
  on: Record<'push' | 'pull_request', { branches?: string[]; tags?: string[] } | null>;
  jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const files = listFiles(FOLDER);
const workflowOf = (name: string): Workflow => (readYaml(`${FOLDER}/${name}.yml`) as [Workflow])[0];

describe.each(files)('%s', (file) => {
  it('is a valid workflow', async () => {
    expect(await findWorkflowErrors(file)).toEqual([]);
  });

  it('pins actions to the hash of a commit and names its version', () => {
    const used = [...readText(file).matchAll(/^ *(?:- )?uses: (.*)$/gm)].map(([, action = '']) => action);
    for (const action of used.filter((each) => !each.startsWith('./'))) {
      expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('has read permissions only', () => {
    const [workflow] = readYaml(file) as [{ permissions: object }];
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });
});

describe('the linter', () => {
  it('finds an error', async () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    step: []\n';
    expect((await findErrorsIn(text, 'broken.yml')).join()).toContain('"step"');
  });
});

describe('the pipelines', () => {
  it('are one per app, the shared one, and those of the whole project', () => {
    const names = files.map((file) => path.basename(file, '.yml'));
    expect(names.sort()).toEqual([...DEPLOYED_APPS.map(({ name }) => name), 'app', 'ci', 'release'].sort());
  });

  it('run on a maintained release line of Node.js, and test all supported ones', () => {
    const versionsOf = (name: string) =>
      Object.values(workflowOf(name).jobs).flatMap(({ steps = [] }) =>
        steps.flatMap((step) => (step.with as { 'node-version'?: unknown } | undefined)?.['node-version'] ?? []),
      );
    expect([...new Set([...versionsOf('app'), ...versionsOf('release')])]).toEqual([24]);
    const { check } = workflowOf('ci').jobs as Record<string, { strategy?: { matrix: { node: number[] } } }>;
    expect(check?.strategy?.matrix.node).toEqual([20, 22, 24, 26]);
  });

  it('check for known vulnerabilities, and write the bill of materials of a release', () => {
    const commandsOf = (name: string) =>
      Object.values(workflowOf(name).jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
    expect(commandsOf('ci')).toContain('npm audit --omit=dev --audit-level=high');
    expect(commandsOf('release')).toContain('npm run sbom -- sbom.cdx.json');
    expect(workflowOf('release').on.push?.tags).toEqual(['v*']);
  });

  it.each(DEPLOYED_APPS)('$name has its own, which calls the shared one', ({ name }) => {
    const { name: title, on, jobs } = workflowOf(name);
    expect(title).toBe(name);
    expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null });
    const inputs = { app: name, e2e: expect.stringMatching(/^[a-z-]+(\|[a-z-]+)*$/) as string };
    expect(jobs).toEqual({ [name]: { uses: './.github/workflows/app.yml', with: inputs } });
  });

  it('run every end-to-end test, each for the apps that it concerns', () => {
    const tests = listFiles('apps/e2e/test')
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.basename(file, '.test.ts'));
    const named = DEPLOYED_APPS.map(({ name }) => {
      const { e2e } = workflowOf(name).jobs[name]?.with as { e2e: string };
      return e2e.split('|');
    });
    expect([...new Set(named.flat())].sort()).toEqual(tests.sort());
  });

  it('check and build an app only when a change affects it', () => {
    const { affected, check } = workflowOf('app').jobs;
    const commandsOf = (job?: Job) => job?.steps?.flatMap(({ run }) => run ?? []) ?? [];
    expect(commandsOf(affected).join()).toContain(
      'npx nx show projects --affected --base "$BEFORE" --head HEAD --projects "$APP"',
    );
    expect(check).toMatchObject({ needs: 'affected', if: "needs.affected.outputs.affected == 'yes'" });
    expect(commandsOf(check)).toEqual([
      'npm ci',
      'echo "OUTSIDE=$(node tools/run/outside-app.mjs "$APP")" >> "$GITHUB_ENV"',
      'npx nx affected -t lint typecheck test build --exclude "$OUTSIDE"',
      'npm test -- --selectProjects e2e --testPathPatterns "/($E2E)\\.test\\.ts$"',
      'npx nx affected -t image --exclude "$OUTSIDE"',
    ]);
    for (const job of [affected, check]) {
      // Without the history there is nothing to compare with.
      expect(job?.steps).toContainEqual(
        expect.objectContaining({ with: expect.objectContaining({ 'fetch-depth': 0 }) }),
      );
    }
  });

  it('leave out of each app what it does not depend on', () => {
    const script = path.join(WORKSPACE_ROOT, 'tools/run/outside-app.mjs');
    const outside = execFileSync(process.execPath, [script, 'gateway'], { encoding: 'utf8' }).trim().split(',');
    const names = outside.map((name) => name.replace('@antelope-history/', ''));
    expect(names).toEqual(
      expect.arrayContaining(['reader', 'standalone', 'reader-stage', 'store', 'store-lmdb', 'broker', 'e2e']),
    );
    for (const inside of ['gateway', 'gateway-proxy', 'key-value', 'app-runtime', 'schemas'])
      expect(names).not.toContain(inside);
  });
});

describe('nx affected', () => {
  const apps = DEPLOYED_APPS.map(({ name }) => name);

  it.each([
    ['libs/gateway-proxy/src/gateway.ts', ['gateway', 'standalone']],
    ['libs/run-api/src/run-api.ts', ['chain-api', 'history-api', 'trace-api']],
    ['libs/store-lmdb/src/reader.ts', ['chain-api', 'history-api', 'indexer', 'standalone', 'trace-api']],
    ['libs/broker-rabbitmq/src/rabbitmq-broker.ts', ['deserializer', 'indexer', 'reader', 'standalone']],
  ])('of a change in %s are its apps only', (file, affected) => {
    const affectedApps = affectedBy([file]).filter((name) => apps.includes(name));
    expect(affectedApps.sort()).toEqual([...affected].sort());
  });
});
