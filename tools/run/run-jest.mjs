import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, startNode } from './prepare.mjs';
import { RESULTS_VARIABLE } from './test-reporter.mjs';

const REPORTER = path.join(ROOT, 'tools/run/test-reporter.mjs');

/**
 * Runs Jest with the reporter of this folder. Resolves with `passed`, `failed` and `skipped`, the suites, and how long it took.
 * What keeps tests from running counts as one failure: a file that does not load, a run without any test, a Jest that
 * ends with an error after its tests.
 */
export async function runJest(args, environment = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-test-'));
  const startedAt = Date.now();
  try {
    const resultsFile = path.join(folder, 'results.json');
    const env = { ...process.env, ...environment, [RESULTS_VARIABLE]: resultsFile };
    // Jest takes arguments after `--reporters` that are no options for more reporters.
    const jestArgs = [...args, `--reporters=${REPORTER}`];
    const status = await startNode('node_modules/jest/bin/jest.js', jestArgs, { env });
    const { counts, suites } = readResults(resultsFile);
    if ((status !== 0 || counts.passed === 0) && counts.failed === 0) {
      counts.failed = 1;
      suites.push(failedRun(counts.passed === 0 ? 'no test ran' : endedWith(status)));
    }
    return { ...counts, suites, milliseconds: Date.now() - startedAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run that stands for what went wrong outside the tests. */
export function failedRun(reason) {
  const failures = [`${reason}: see above`];
  return { file: '(the run itself)', milliseconds: 0, passed: 0, skipped: [], failures, errors: [] };
}

/** Jest failed after its tests: most often its teardown found what they left on a server. */
function endedWith(status) {
  return `all tests passed, and Jest ended with status ${status} (a line "Left behind by the tests" names what is to be removed)`;
}

/** Reads what the reporter wrote. There is no file when Jest could not start; Jest has printed why. */
function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return { counts: { passed: 0, failed: 0, skipped: 0 }, suites: [] };
    throw error;
  }
}
