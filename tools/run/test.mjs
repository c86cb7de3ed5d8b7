import { spawn } from 'node:child_process';
import path from 'node:path';
import { build, installPackages, prepare, PrepareError, requireNode, ROOT, runCommand, startNode } from './prepare.mjs';
import { Phases } from './phases.mjs';
import { failedRun, runJest } from './run-jest.mjs';
import { summarise } from './test-summary.mjs';

const SERVERS = 'tools/servers/dist/main.js';
const SERVERS_PROJECT = 'tools/servers/tsconfig.lib.json';
/** Measures the service under load, with clients that compete for time: it runs after all others. */
const ALONE = ['load'];
/**
 * Sends one request at a time, so that it uses one processor, and measures times with a margin of five: it runs after the
 * others, which would use all processors, beside one worker with suites that only compute.
 */
const ONE_PROCESSOR = ['hostile-chain'];
const COMPUTING = [
  'abi',
  'block-proof',
  'deserialize',
  'history-endpoints',
  'json',
  'records',
  'responses',
  'ship',
  'trace-endpoints',
];
/** Test servers keep their data in memory: tools/servers/src/server-folder.ts. */
const IN_MEMORY = { HISTORY_TEST_SERVER_DATA: 'memory' };
/** Makes `testSize` of libs/test-support choose the long sizes. */
const LONG = { HISTORY_TEST_SIZE: 'long' };

/**
 * `npm test`: every Jest project once; `--long`, as `npm run test:long` passes it, runs the same tests at their long
 * sizes. Other arguments go to Jest. The very last line is `N passed, N failed`, with the number of skipped tests if
 * there are any.
 */
await runCommand(async (args) => {
  const environment = { ...IN_MEMORY, ...(args.includes('--long') && LONG) };
  const jestArgs = args.filter((arg) => arg !== '--long');
  const phases = new Phases();
  const runs = await runTests(jestArgs, environment, phases);
  process.stdout.write(`\n${summarise(runs, phases.finish()).join('\n')}\n`);
  return runs.some(({ failed }) => failed > 0) ? 1 : 0;
});

async function runTests(args, environment, phases) {
  try {
    if (args.length > 0) {
      phases.begin('build');
      await prepare();
      phases.begin('tests');
      return [await runJest(args, environment)];
    }
    return await runAll(environment, phases);
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return [{ passed: 0, failed: 1, skipped: 0, suites: [failedRun('the preparation failed')] }];
  }
}

/** The servers start while the workspace is compiled; Jest's global set-up waits for them. */
async function runAll(environment, phases) {
  requireNode();
  phases.begin('packages');
  installPackages();
  phases.begin('build, while the servers start');
  await build([SERVERS_PROJECT]);
  holdServers(environment);
  try {
    await build();
    phases.begin('tests');
    const others = await runJest(['--ignoreProjects', ...ALONE, ...ONE_PROCESSOR, ...COMPUTING], environment);
    phases.begin('the hostile chain, beside tests that compute');
    const beside = await Promise.all([
      runJest(['--runInBand', '--selectProjects', ...ONE_PROCESSOR], environment),
      runJest(['--maxWorkers', '1', '--selectProjects', ...COMPUTING], environment),
    ]);
    phases.begin('tests that run alone');
    const alone = await runJest(['--runInBand', '--selectProjects', ...ALONE], environment);
    return [others, ...beside, alone];
  } finally {
    await startNode(SERVERS, ['release', String(process.pid)]);
  }
}

/** The servers run until this process releases them or ends. */
function holdServers(environment) {
  const holding = spawn(process.execPath, [path.join(ROOT, SERVERS), 'hold', String(process.pid)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  });
  // Jest's global set-up tries again and reports the reason.
  holding.on('error', () => undefined);
  holding.unref();
}
