import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, prepareServices, PrepareError, ROOT, runCommand, runNode } from './prepare.mjs';

const SERVICES = 'tools/services/dist/main.js';
/** Projects that measure the service under load: they run after the others, which they would slow down. */
const ALONE = ['hostile-chain', 'load'];

/**
 * `npm test`: every Jest project once. The last line is `N passed, N failed`, and how many were skipped if any; arguments
 * go to Jest. What kept tests from running counts as one failed: a build that fails, a file that does not load, a run
 * without any test.
 */
await runCommand((args) => {
  const { passed, failed, skipped } = isPrepared(args) ? runTests(args) : { passed: 0, failed: 1, skipped: 0 };
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  return failed > 0 ? 1 : 0;
});

/** All tests need the servers, which start while the rest is compiled; Jest's set-up waits for them. */
function isPrepared(args) {
  try {
    prepareServices();
    if (args.length === 0) startServers();
    build();
    return true;
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return false;
  }
}

/** They end with this process: the last of who holds them ends them. */
function startServers() {
  const holding = spawn(process.execPath, [path.join(ROOT, SERVICES), 'hold', String(process.pid)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // Jest's set-up tries again, and says why not.
  holding.on('error', () => undefined);
  holding.unref();
}

function runTests(args) {
  if (args.length > 0) return runJest(['--maxWorkers=2', ...args]);
  try {
    const others = runJest(['--maxWorkers=2', '--ignoreProjects', ...ALONE]);
    const alone = runJest(['--runInBand', '--selectProjects', ...ALONE]);
    return {
      passed: others.passed + alone.passed,
      failed: others.failed + alone.failed,
      skipped: others.skipped + alone.skipped,
    };
  } finally {
    runNode(SERVICES, ['release', String(process.pid)]);
  }
}

function runJest(args) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-test-'));
  try {
    const resultFile = path.join(folder, 'result.json');
    const status = runNode('node_modules/jest/bin/jest.js', ['--json', `--outputFile=${resultFile}`, ...args]);
    const { passed, failed, skipped } = readCounts(resultFile);
    return { passed, failed: status === 0 && passed > 0 ? failed : Math.max(1, failed), skipped };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing ran when Jest itself could not start; it said why. */
function readCounts(resultFile) {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8'));
    return {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests,
    };
  } catch (error) {
    if (error.code === 'ENOENT') return { passed: 0, failed: 0, skipped: 0 };
    throw error;
  }
}
