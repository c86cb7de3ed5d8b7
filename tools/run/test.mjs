import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { prepare, runCommand, runNode } from './prepare.mjs';

/**
 * `npm test`: every Jest project once. The last line is `N passed, N failed`; arguments go to Jest.
 * A file whose tests could not run counts as one failed; so does a run without any test.
 */
await runCommand((args) => {
  prepare();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-test-'));
  try {
    const resultFile = path.join(folder, 'result.json');
    const status = runNode('node_modules/jest/bin/jest.js', [
      '--maxWorkers=2',
      '--json',
      `--outputFile=${resultFile}`,
      ...args,
    ]);
    const { passed, failed } = readCounts(resultFile);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return status !== 0 || failed > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function readCounts(resultFile) {
  const result = readResult(resultFile);
  const passed = result?.numPassedTests ?? 0;
  const failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}

/** Nothing when Jest itself could not start; it said why. */
function readResult(resultFile) {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
