import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './prepare.mjs';

/** Names the file that the reporter writes its results to; set by run-jest.mjs. */
export const RESULTS_VARIABLE = 'HISTORY_TEST_RESULTS_FILE';

const STILL_RUNNING_MS = 60_000;
const ERROR_LINES = 20;
const ERROR_COLUMNS = 300;

/**
 * The Jest reporter of `npm test`: one line per finished suite, with its failures below, and a line per minute that
 * names the suites that are still running. It writes what the totals need to a file. Jest's own `--json` output is not
 * used, because Jest cannot serialise an error whose causes form a circle and then writes nothing.
 */
export default class TestReporter {
  #suites = [];
  #running = new Map();
  #count = 0;
  #timer;

  onRunStart({ numTotalTestSuites }) {
    this.#count = numTotalTestSuites;
    this.#timer = setInterval(() => this.#reportRunning(), STILL_RUNNING_MS);
    this.#timer.unref();
  }

  onTestFileStart({ path: file }) {
    this.#running.set(file, Date.now());
  }

  onTestFileResult({ path: file }, result) {
    this.#running.delete(file);
    const suite = describeSuite(file, result);
    this.#suites.push(suite);
    const lines = [suiteLine(suite, this.#suites.length, this.#count)];
    for (const { message } of result.console ?? []) lines.push(message);
    if (result.failureMessage) lines.push(result.failureMessage);
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  onRunComplete(_contexts, results) {
    clearInterval(this.#timer);
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, runExecError } = results;
    const counts = {
      passed: numPassedTests,
      failed: numFailedTests + numRuntimeErrorTestSuites + (runExecError ? 1 : 0),
      skipped: numPendingTests,
    };
    const file = process.env[RESULTS_VARIABLE];
    if (file) writeFileSync(file, JSON.stringify({ counts, suites: this.#suites }));
  }

  #reportRunning() {
    const now = Date.now();
    for (const [file, startedAt] of this.#running) {
      process.stdout.write(`${formatSeconds(now - startedAt)}  ...   ${shownPath(file)} is running\n`);
    }
  }
}

/** Milliseconds as seconds with one decimal, aligned to the right. */
export function formatSeconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1).padStart(7)} s`;
}

/** Relative to the workspace for the files in it. */
function shownPath(file) {
  const relative = path.relative(ROOT, file);
  return relative.startsWith('..') ? file : relative;
}

function describeSuite(file, { perfStats, testResults, testExecError, numPassingTests }) {
  const titles = (status) =>
    testResults
      .filter((result) => result.status === status)
      .map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › '));
  const failures = titles('failed');
  if (testExecError) failures.push('the file does not run');
  return {
    file: shownPath(file),
    milliseconds: perfStats.end - perfStats.start,
    passed: numPassingTests,
    skipped: titles('pending'),
    failures,
    errors: [...testResults.flatMap(({ failureMessages }) => failureMessages), testExecError?.message ?? '']
      .filter(Boolean)
      .map(shortened),
  };
}

/** The first lines of an error, which say what differed; the whole of it stands below the suite's line. */
function shortened(message) {
  return stripVTControlCharacters(message)
    .split('\n')
    .slice(0, ERROR_LINES)
    .map((line) => line.slice(0, ERROR_COLUMNS));
}

function suiteLine({ file, milliseconds, passed, skipped, failures }, index, count) {
  const counts = [
    failures.length > 0 ? `${failures.length} failed` : '',
    `${passed} passed`,
    skipped.length > 0 ? `${skipped.length} skipped` : '',
  ];
  const progress = `${String(index).padStart(String(count).length)}/${count}`;
  const status = failures.length > 0 ? 'FAIL' : 'pass';
  return `${formatSeconds(milliseconds)}  ${progress}  ${status}  ${file} (${counts.filter(Boolean).join(', ')})`;
}
