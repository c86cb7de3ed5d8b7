import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeWithService,
  findFreePorts,
  holdServices,
  identify,
  isRunning,
  listContents,
  type ProcessIdentity,
  provideCurl,
  releaseServices,
  SERVICE_NAMES,
  type Services,
} from '@antelope-history/servers';
import { ROUTES } from '@antelope-history/routes';
import { statusResponse } from '@antelope-history/schemas';

/** The built command, on the sample chain. */
const MAIN = path.resolve(__dirname, '../dist/suite/main.js');
/** Twelve apps start at once: on a loaded machine that alone takes a minute. */
const LIMIT_MS = 240_000;

describeWithService([...SERVICE_NAMES], () => {
  describe('npm run suite', () => {
    let cwd: string;
    let port: number;
    let child: ChildProcess;
    let output = '';
    let services: Services;
    const holder = identify(process.pid) as ProcessIdentity;
    const curl = provideCurl();
    afterAll(curl.remove);

    beforeAll(async () => {
      services = await holdServices(SERVICE_NAMES, holder, () => undefined);
      cwd = mkdtempSync(path.join(tmpdir(), 'antelope-history-suite-'));
      [port = 0] = await findFreePorts(1);
      const counts = ['--deserializers', '2', '--indexers', '2', '--apis', '2'];
      child = spawn(process.execPath, [MAIN, '--port', String(port), ...counts], { cwd });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (text: Buffer) => (output += text.toString()));
      await until(() => /^Ctrl-C +stops/m.test(output));
    }, LIMIT_MS);
    afterAll(async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await releaseServices(holder);
      rmSync(cwd, { recursive: true });
    }, LIMIT_MS);

    async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
      const limit = Date.now() + LIMIT_MS / 2;
      while (!(await condition())) {
        if (Date.now() > limit || child.exitCode !== null)
          throw new Error(`the condition did not become true: ${output}`);
        await sleep(50);
      }
    }

    /** Process ids by the names of the apps. */
    function apps(): Map<string, number> {
      const [, line = ''] = /^Apps +(.+)$/m.exec(output) ?? [];
      return new Map(line.split(', ').map((app) => [app.split(' ')[0] ?? '', Number(app.split(' ')[1])]));
    }

    const runShell = (command: string): string =>
      execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { PATH: curl.path } });

    const runExamples = () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('curl '))
        .map((line) => JSON.parse(runShell(line)) as Record<string, unknown>);

    it('runs the given number of processes of every app', () => {
      const names = [...apps().keys()].map((name) => name.replace(/-\d$/, ''));
      const pairs = ['deserializer', 'indexer', 'history-api', 'chain-api', 'trace-api'].flatMap((name) => [
        name,
        name,
      ]);
      expect(names.sort()).toEqual([...pairs, 'gateway', 'reader'].sort());
      expect([...apps().values()].every((pid) => identify(pid))).toBe(true);
    });

    it('prints a curl line for each endpoint, with a non-empty response', () => {
      const responses = runExamples();
      expect(responses).toHaveLength(Object.keys(ROUTES).length);
      for (const response of responses) expect(response).not.toHaveProperty('error');
    });

    it('shows every process and the figures of all', async () => {
      const [, page = ''] = /^Page +(\S+)$/m.exec(output) ?? [];
      const read = async () => statusResponse.parse(await (await fetch(`${page}status`)).json());
      // A process reports when it begins its work, and then with every third heartbeat.
      await until(async () => {
        const { store_free_bytes: free, nodes_refused: refused, queue_messages: queues } = (await read()).totals;
        return [free, refused, queues].every((figure) => figure !== undefined);
      });
      const { processes, totals } = await read();
      const kinds = [...apps().keys()].map((name) => name.replace(/-\d$/, ''));
      expect(processes.map(({ kind }) => kind).sort()).toEqual(kinds.sort());
      expect(new Set(processes.map(({ pid }) => pid))).toEqual(new Set(apps().values()));
      for (const { memory_bytes: memory, version } of processes) {
        expect([version, (memory ?? 0) > 1024 * 1024]).toEqual(['4.1.0', true]);
      }
      expect(totals).toMatchObject({ dead_letters: 0, nodes_refused: 0, queue_messages: expect.any(Object) });
    });

    it(
      'restarts killed processes, and no request fails after that',
      async () => {
        const killed = ['indexer-1', 'history-api-2', 'reader'];
        for (const name of killed) process.kill(apps().get(name) as number, 'SIGKILL');
        await until(() => killed.every((name) => output.includes(`${name} ended; it is started again`)));
        for (const response of runExamples()) expect(response).not.toHaveProperty('error');
        const health = async () =>
          (await fetch(`http://127.0.0.1:${port}/health`)).json() as Promise<{ status: string }>;
        await until(async () => (await health()).status === 'ok');
      },
      LIMIT_MS,
    );

    it(
      'stops at Ctrl-C, and leaves no process and no data behind',
      async () => {
        const identities = [...apps().values()].map(identify).filter((identity) => identity !== undefined);
        const [, name = ''] = /^Names +(\S+):/m.exec(output) ?? [];
        const listOwn = async () => (await listContents(services)).filter((content) => content.includes(name));
        expect(await listOwn()).toEqual(expect.arrayContaining([`index ${name}-progress`, `virtual host ${name}`]));
        child.kill('SIGINT');
        await once(child, 'exit');
        expect(child.exitCode).toBe(0);
        expect(identities.filter(isRunning)).toEqual([]);
        expect(await listOwn()).toEqual([]);
      },
      LIMIT_MS,
    );
  });
});
