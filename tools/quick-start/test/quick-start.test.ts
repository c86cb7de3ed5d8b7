import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dashboardExpressions, readAlertRules, readMetricUses } from '@antelope-history/workspace-rules';
import { findFreePorts, provideCurl } from '@antelope-history/servers';
import { statusResponse } from '@antelope-history/schemas';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { isShortened, readExamples } from './page-examples';

/** The built launcher, on the sample chain. */
const MAIN = path.resolve(__dirname, '../dist/main.js');
const LIMIT_MS = 300_000;
/** Pages whose requests can be sent to the sample chain, with the number of them. */
const PAGES = [
  { page: 'README.md', requests: 1 },
  { page: 'docs/moving-from-hyperion.md', requests: 11 },
  { page: 'docs/moving-from-history-plugin.md', requests: 7 },
];

/** Only a hang takes longer: a test waits for several starts, and the launcher compiles what changed. */
jest.setTimeout(600_000);

interface Run {
  child: ChildProcess;
  output: () => string;
}

/** Labels that Prometheus adds, and `chain`, which an operator of several chains gives to the targets. */
const ADDED_LABELS = ['job', 'instance', 'chain'];
/** Of Prometheus itself, of API processes, whose responses only Redis keeps, and of gateways with API keys. */
const NOT_OF_ONE_PROCESS = new Set(['up', 'history_response_cache_total', 'history_gateway_key_requests_total']);

/** Another loopback address, which only Linux has without further set-up. */
const otherAddress = process.platform === 'linux' ? '127.0.0.2' : undefined;

const curl = provideCurl();
afterAll(curl.remove);

function runShell(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { PATH: curl.path } });
}

let data: string;
let port: number;
let opsPort: number;
let run: Run | undefined;

/** Before each test, or once before tests that only read. */
async function prepare(): Promise<void> {
  data = mkdtempSync(path.join(tmpdir(), 'antelope-history-quick-start-'));
  [port = 0, opsPort = 0] = await findFreePorts(2);
}

async function cleanUp(): Promise<void> {
  if (run) await end(run, 'SIGTERM');
  run = undefined;
  rmSync(data, { recursive: true, force: true });
}

/** The default port of operations may be in use by another test at the same time. */
function start(...args: string[]): Run {
  return startWith('--port', String(port), '--ops-port', String(opsPort), '--data', data, ...args);
}

function startWith(...args: string[]): Run {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  return { child, output: () => output };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error('the condition did not become true in time');
    await sleep(50);
  }
}

const untilReady = ({ child, output }: Run): Promise<void> =>
  until(() => {
    if (child.exitCode !== null) throw new Error(`the quick start ended with ${child.exitCode}: ${output()}`);
    return /^Ctrl-C +stops/m.test(output());
  });

async function end({ child }: Run, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  await once(child, 'exit');
  return child.exitCode;
}

/** Whether a program of a run still listens: the gateway, or the replay, whose port is in the service's log. */
async function isUp(): Promise<boolean> {
  const log = readFileSync(path.join(data, 'service.log'), 'utf8');
  const replayPorts = [...log.matchAll(/"url":"ws:\/\/127\.0\.0\.1:(\d+)"/g)].map(([, replayPort]) =>
    Number(replayPort),
  );
  expect(replayPorts).not.toHaveLength(0);
  const responses = await Promise.allSettled(
    [port, ...replayPorts].map((tried) => fetch(`http://127.0.0.1:${tried}/`)),
  );
  return responses.some(({ status }) => status === 'fulfilled');
}

/** The URL of the status page that a run prints. */
function statusPageOf({ output }: Run): string {
  return /^Page +(http:\S+)$/m.exec(output())?.[1] ?? '';
}

/** One run serves the tests that only read: each start takes seconds of processor time. */
describe('a run of the quick start', () => {
  const shared = (): Run => {
    if (!run) throw new Error('the run has not been started');
    return run;
  };
  beforeAll(async () => {
    await prepare();
    run = start();
    await untilReady(run);
  });
  afterAll(cleanUp);

  it('indexes the sample chain and prints a curl line for each endpoint, with a non-empty response', async () => {
    const commands = shared()
      .output()
      .split('\n')
      .filter((line) => line.startsWith('curl '));
    const responses = commands.map((command) => JSON.parse(runShell(command)) as Record<string, unknown>);
    expect(commands.map((command) => new URL(command.split(' ')[2] ?? '').pathname)).toEqual([
      '/v1/history/get_actions',
      '/v1/history/nodeos/get_actions',
      '/v1/history/get_transaction',
      '/v1/history/get_controlled_accounts',
      '/v1/history/get_key_accounts',
      '/v1/chain/get_block',
      '/v1/chain/get_block_info',
      '/v1/chain/get_info',
      '/v1/chain/get_abi',
      '/v1/chain/get_raw_abi',
      '/v1/trace_api/get_block',
    ]);
    const [actions, byPosition, transaction, controlled, keyed, block, blockInfo, info, abi, rawAbi, trace] = responses;
    expect(actions?.['actions']).not.toHaveLength(0);
    expect(byPosition?.['actions']).not.toHaveLength(0);
    expect(transaction?.['traces']).not.toHaveLength(0);
    expect(controlled?.['controlled_accounts']).not.toHaveLength(0);
    expect(keyed?.['account_names']).not.toHaveLength(0);
    expect(block?.['transactions']).not.toHaveLength(0);
    expect(blockInfo?.['block_num']).toBe(block?.['block_num']);
    expect(info?.['head_block_num']).toBeGreaterThan(Number(block?.['block_num']));
    expect(abi?.['abi']).toHaveProperty('structs');
    expect(rawAbi?.['abi']).not.toHaveLength(0);
    expect(trace?.['transactions']).not.toHaveLength(0);
    expect(readFileSync(path.join(data, 'service.log'), 'utf8')).toContain('"msg":"running"');
  });

  it('serves a page, health and metrics on the loopback interface, and none of them at the port of the gateway', async () => {
    const page = statusPageOf(shared());
    expect(shared().output()).toMatch(new RegExp(`^Docs     http://127\\.0\\.0\\.1:${port}/docs$`, 'm'));
    expect(shared().output()).toContain(`Page     ${page}\nMetrics  ${page}metrics\n`);
    expect(await (await fetch(page)).text()).toMatch(/src="\.\/page\/[0-9a-f]+\/main\.js"/);
    const status = statusResponse.parse(await (await fetch(`${page}status`)).json());
    expect(status.processes).toMatchObject([{ kind: 'standalone', indexed_blocks: 537, dead_letters: 0 }]);
    expect(status.totals).toMatchObject({ forks: 4, nodes_refused: 0, store_free_bytes: expect.any(Number) });
    expect(await (await fetch(`${page}metrics`)).text()).toContain('history_committed_block');
    expect(await (await fetch(`${page}health`)).json()).toHaveProperty('components');
    const statuses = ['/', '/metrics', '/health', '/docs'].map(
      async (at) => (await fetch(`http://127.0.0.1:${port}${at}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 200, 200]);
  });

  it('exports the metrics and labels that the alert rules and the dashboard read', async () => {
    const text = await (await fetch(new URL('/metrics', statusPageOf(shared())))).text();
    const exported = new Map<string, Set<string>>();
    for (const [, metric = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? /gm)) {
      const known = exported.get(metric) ?? new Set(ADDED_LABELS);
      exported.set(metric, known);
      for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    }
    const uses = [...readAlertRules().map(({ expr }) => expr), ...dashboardExpressions()].flatMap(readMetricUses);
    const read = uses.filter(({ metric }) => !NOT_OF_ONE_PROCESS.has(metric));
    expect(read.length).toBeGreaterThan(60);
    const missing = read.filter(({ metric, labels }) => labels.some((label) => !exported.get(metric)?.has(label)));
    const unknown = read.filter(({ metric }) => !exported.has(metric));
    expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
  });

  it('listens on the loopback interface', async () => {
    expect(shared().output()).toMatch(new RegExp(`^Gateway +http://127\\.0\\.0\\.1:${port}$`, 'm'));
    expect(shared().output()).not.toContain('every machine that reaches');
    if (otherAddress !== undefined) await expect(fetch(`http://${otherAddress}:${port}/live`)).rejects.toThrow();
  });

  it.each(PAGES)('responds to the requests of $page as shown there', ({ page, requests }) => {
    const examples = readExamples(readFileSync(path.resolve(__dirname, '../../..', page), 'utf8'));
    expect(examples).toHaveLength(requests);
    for (const { command, shown } of examples) {
      const here = command.replace('127.0.0.1:8888', `127.0.0.1:${port}`);
      const response: unknown = JSON.parse(runShell(here));
      // This prints both when they do not match.
      if (!isShortened(shown, response)) expect(response).toEqual(shown);
    }
  });

  it('ends with the reason beside a service that runs on the same data, and leaves its log alone', async () => {
    const log = path.join(data, 'service.log');
    const startsIn = (): number => readFileSync(log, 'utf8').split('"msg":"running"').length - 1;
    expect(startsIn()).toBe(1);
    const lines = readFileSync(log, 'utf8').length;
    const second = start('--port', String(port + 1), '--ops-port', String(opsPort + 1));
    try {
      await once(second.child, 'exit');
    } finally {
      await end(second, 'SIGKILL');
    }
    expect(second.child.exitCode).toBe(1);
    expect(second.output()).toMatch(/^another process writes to .*\. Change that, or name another directory/m);
    expect(readFileSync(log, 'utf8').slice(lines)).not.toContain('another process');
    expect(startsIn()).toBe(1);
  });
});

describe('the quick start', () => {
  beforeEach(prepare);
  afterEach(cleanUp);

  it('prints a notice when --host opens it to other machines, and examples where get_actions counts as nodeos', async () => {
    const config = path.join(data, 'config.json');
    mkdirSync(data, { recursive: true });
    writeFileSync(config, JSON.stringify({ api: { positions: 'nodeos' } }));
    run = start('--host', '0.0.0.0', '--config', config, '--recording', sampleFolder('leap-edge'));
    await untilReady(run);
    expect(run.output()).toMatch(/^curl -s http:\S+\/v1\/history\/rows\/get_actions -d /m);
    expect(run.output()).toContain(
      `it listens on 0.0.0.0:${port}: every machine that reaches this address can send requests`,
    );
    if (otherAddress !== undefined) expect((await fetch(`http://${otherAddress}:${port}/live`)).status).toBe(200);
  });

  it('continues where it stopped after Ctrl-C and after it was killed', async () => {
    run = start();
    await untilReady(run);
    const askedAtMs = Date.now();
    expect(await end(run, 'SIGINT')).toBe(0);
    expect(Date.now() - askedAtMs).toBeLessThan(8_000);
    expect(await isUp()).toBe(false);

    run = start();
    await untilReady(run);
    expect(run.output()).toContain('this run indexed 0 blocks');

    // Killed, it leaves no process behind.
    await end(run, 'SIGKILL');
    await until(async () => !(await isUp()));
    // No process holds the store's lock either.
    run = start();
    await untilReady(run);
  });

  it('ends when the process that plays the recording is killed', async () => {
    run = start();
    await untilReady(run);
    const children = execFileSync('pgrep', ['-f', '-P', String(run.child.pid), 'ship-replay'], { encoding: 'utf8' });
    process.kill(Number(children), 'SIGKILL');
    await once(run.child, 'exit');
    expect(run.child.exitCode).toBe(1);
    expect(run.output()).toContain('The process that plays the recording was ended by SIGKILL.');
  });

  it('listens on a free port when the configured one is 0', async () => {
    const config = path.join(data, 'config.json');
    writeFileSync(config, JSON.stringify({ gateway: { port: 0 } }));
    run = startWith('--ops-port', String(opsPort), '--data', data, '--config', config, '--ship', 'ws://127.0.0.1:9');
    const { output } = run;
    const urlOf = (): string | undefined => /^Gateway +(http:\S+)$/m.exec(output())?.[1];
    await until(
      async () => urlOf() !== undefined && (await fetch(`${urlOf()}/live`).catch(() => undefined))?.ok === true,
    );
    expect(urlOf()).not.toMatch(/:0$/);
  });

  it('reports a node that does not respond, and waits for it', async () => {
    run = start('--ship', 'ws://127.0.0.1:9');
    const { output } = run;
    await until(() => output().includes('state_history_plugin'));
    expect(output()).toMatch(/warning: state history is interrupted: .* trying again in/);
    expect(await end(run, 'SIGINT')).toBe(0);
  });

  it('ends when the data is of another chain than its source, with or without a chain id of its own', async () => {
    run = start();
    await untilReady(run);
    await end(run, 'SIGINT');
    for (const name of ['eosio20-edge', 'spring-savanna'] as const) {
      run = start('--recording', sampleFolder(name));
      const { child, output } = run;
      await once(child, 'exit');
      expect(child.exitCode).toBe(1);
      expect(output()).toContain('holds another chain than');
      expect(output()).not.toContain('Ready');
    }
  });

  it('stops when npm, or the shell between npm and it, is killed', async () => {
    const launcher = path.resolve(__dirname, '../../run/run.mjs');
    const ports = ['--port', port, '--ops-port', opsPort];
    const command = [process.execPath, launcher, 'start', ...ports, '--data', data].join(' ');
    const environment = { ...process.env, npm_lifecycle_event: 'start' };
    // The shell must wait for the command: some replace themselves by the last one.
    const shell = spawn('sh', ['-c', `${command}; exit`], { env: environment, stdio: 'ignore' });
    try {
      await until(() =>
        fetch(`http://127.0.0.1:${port}/live`).then(
          () => true,
          () => false,
        ),
      );
    } finally {
      shell.kill('SIGKILL');
    }
    await until(async () => !(await isUp()));
  });
});
