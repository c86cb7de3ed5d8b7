import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { prepare, PrepareError, runCommand, runNode } from './prepare.mjs';

/**
 * `npm test`: every Jest project once. The last line is `N passed, N failed`; arguments go to Jest. What kept tests from
 * running counts as one failed: a build that fails, a file that does not load, a run without any test.
 */
await runCommand((args) => {
  const { passed, failed } = isPrepared() ? runTests(args) : { passed: 0, failed: 1 };
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed > 0 ? 1 : 0;
});

function isPrepared() {
  try {
    prepare();
    return true;
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return false;
  }
}

function runTests(args) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-test-'));
  try {
    const resultFile = path.join(folder, 'result.json');
    const options = ['--maxWorkers=2', '--json', `--outputFile=${resultFile}`, ...args];
    const status = runNode('node_modules/jest/bin/jest.js', options);
    const { passed, failed } = readCounts(resultFile);
    return { passed, failed: status === 0 && passed > 0 ? failed : Math.max(1, failed) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing ran when Jest itself could not start; it said why. */
function readCounts(resultFile) {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8'));
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
  } catch (error) {
    if (error.code === 'ENOENT') return { passed: 0, failed: 0 };
    throw error;
  }
}
