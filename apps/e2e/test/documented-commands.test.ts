import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIndexPrefix, describeWithService, type IndexPrefix } from '@antelope-history/servers';
import { type IndexedService, type Replay, startIndexedService, startReplay, stop } from '@antelope-history/processes';
import { sampleFolder } from '@antelope-history/test-support/recordings';

const WORKSPACE = path.resolve(__dirname, '../../..');
const SAMPLE = sampleFolder('leap-edge');

/** Commands that this test cannot run as they are, by how they begin; what shows that they work. */
const ELSEWHERE: Record<string, string> = {
  'npm start': 'tools/quick-start/test and .ci/run',
  'npm test': '.ci/run',
  'npm run suite': 'tools/quick-start/test/suite.test.ts',
  'helm install': 'needs a cluster; tools/workspace-rules/test/deploy/helm.test.ts renders the chart with Helm',
  'sudo ': 'needs root; tools/workspace-rules/test/deploy/systemd.test.ts checks the units',
  'cd /opt/antelope-history': 'needs root; .ci/run installs and builds a clone',
  'npm run check-config -- --config /etc/antelope-history': 'needs that file; the same command runs below',
  'npm run check-config -- --config deploy/config/several-chains': 'tools/cli/test/check-config/check-apis.test.ts',
  'npm run bench': 'needs a recording and minutes; tools/bench/test/sizing.test.ts reads what it has written',
  'npm run sizing -- --embedded embedded.json': 'tools/bench/test/sizing.test.ts',
  'node apps/': 'apps/e2e/test/several-chains.test.ts starts them with free ports',
  'curl -s https://': 'apps/e2e/test/several-chains.test.ts sends these requests',
  rabbitmqctl: 'needs a cluster; apps/e2e/test/clusters.test.ts (npm run test:long) runs them',
  'rabbitmq-queues': 'needs a cluster; apps/e2e/test/clusters.test.ts (npm run test:long) runs it',
  'curl -X PUT "$ELASTICSEARCH/_snapshot': 'tools/store-maintenance/test/snapshot.test.ts',
};
/** The requests of these pages are compared with their responses by other tests. */
const COMPARED = ['api.md', 'moving-from-history-plugin.md', 'moving-from-hyperion.md'];

interface Documented {
  page: string;
  command: string;
}

/** The commands in blocks of shell code, without comments; a command may have several lines. */
function documentedCommands(): Documented[] {
  const docs = readdirSync(path.join(WORKSPACE, 'docs')).filter(
    (page) => page.endsWith('.md') && !COMPARED.includes(page),
  );
  return ['README.md', ...docs.map((page) => `docs/${page}`)].flatMap((page) => {
    const text = readFileSync(path.join(WORKSPACE, page), 'utf8');
    const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
    return blocks
      .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
      .map((line) => line.replace(/\s+#\s.*$/, '').trim())
      .filter((command) => command !== '')
      .map((command) => ({ page, command }));
  });
}

const all = documentedCommands();
const runHere = all.filter(({ command }) => !Object.keys(ELSEWHERE).some((start) => command.startsWith(start)));

describe('the commands in the documents', () => {
  it('are run by this test or by the one that is named', () => {
    expect(all.length).toBeGreaterThan(30);
    for (const start of Object.keys(ELSEWHERE))
      expect([start, all.some(({ command }) => command.startsWith(start))]).toEqual([start, true]);
    expect(runHere.length).toBeGreaterThan(10);
  });
});

describeWithService(['elasticsearch'], (elasticsearch = '') => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-commands-'));
  let service: IndexedService;
  let replay: Replay;
  let indices: IndexPrefix;

  beforeAll(async () => {
    replay = await startReplay(SAMPLE, []);
    service = await startIndexedService(SAMPLE);
    indices = createIndexPrefix(elasticsearch);
    for (const index of ['actions', 'actions-0000000000', 'bodies-0000000000']) {
      await fetch(`${elasticsearch}/${indices.prefix}-${index}`, { method: 'PUT' });
    }
    const config = {
      ship: { urls: [replay.url] },
      store: { lmdb: { path: path.join(folder, 'data') } },
      gateway: { port: 0 },
    };
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config));
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    const launcher = `#!/bin/sh\nexec "${process.execPath}" "${WORKSPACE}/tools/run/antelope-history.mjs" "$@"\n`;
    writeFileSync(path.join(bin, 'antelope-history'), launcher, { mode: 0o755 });
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await stop(replay.child);
    await indices.remove();
    rmSync(folder, { recursive: true });
  });

  /** The command with the addresses and files of this test in the place of those in the text. */
  function here(command: string): string {
    return command
      .replaceAll('http://127.0.0.1:8888', service.url)
      .replaceAll(/(?<=[/,])history-(?=actions-|bodies-|\*)/g, `${indices.prefix}-`)
      .replace('npx antelope-history', 'antelope-history')
      .replace(/^(antelope-history status.*)$/, `$1 --url ${service.operationsUrl}`)
      .replace(/^(antelope-history export.*) --out alice\.csv$/, `$1 --url ${service.url} --out ${folder}/alice.csv`)
      .replace('--config config.json', `--config ${folder}/config.json`);
  }

  describe('a command of a document', () => {
    it.each(runHere)('$page: $command', ({ command }) => {
      const env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}`, ELASTICSEARCH: elasticsearch };
      const { status, stdout, stderr } = spawnSync('bash', ['-c', here(command)], {
        cwd: WORKSPACE,
        encoding: 'utf8',
        env,
      });
      // curl ends a stream by its time limit.
      expect([command.includes('--max-time') && status === 28 ? 0 : status, stderr]).toEqual([0, expect.anything()]);
      expect(stdout).not.toMatch(/"error":/);
      // A completion is silent, and an export writes its file.
      const output = command.includes(' export ') ? readFileSync(path.join(folder, 'alice.csv'), 'utf8') : stdout;
      if (!command.startsWith('source')) expect(output.trim()).not.toBe('');
    });
  });
});
