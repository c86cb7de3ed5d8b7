import { formatSeconds } from './test-reporter.mjs';

const SLOWEST = 10;

/**
 * The last lines of `npm test`: the slowest suites, how long each phase took and how busy the
 * processors were in it, the first lines of each error, what failed with its file, and in the very
 * last line `N passed, N failed`, with the number of skipped tests if there are any.
 */
export function summarise(runs, phases) {
  const suites = runs.flatMap((run) => run.suites);
  const total = (key) => runs.reduce((sum, run) => sum + run[key], 0);
  const slowest = [...suites].sort((left, right) => right.milliseconds - left.milliseconds).slice(0, SLOWEST);
  const titled = (key) => suites.flatMap((suite) => suite[key].map((title) => `  ${title} (${suite.file})`));
  return [
    ...section(
      'The slowest suites:',
      slowest.map(({ file, milliseconds }) => `${formatSeconds(milliseconds)}  ${file}`),
    ),
    ...section(
      'The time:',
      phases.map(
        ({ name, milliseconds, busy }) =>
          `${formatSeconds(milliseconds)}  ${name} (processors ${Math.round(busy * 100)}% busy)`,
      ),
    ),
    ...section('Skipped:', titled('skipped')),
    ...section(
      'The errors:',
      suites.flatMap(({ file, errors }) =>
        errors.flatMap((lines) => [`  ${file}`, ...lines.map((line) => `    ${line}`)]),
      ),
    ),
    ...section('Failed:', titled('failures')),
    totals(total('passed'), total('failed'), total('skipped')),
  ];
}

function section(title, lines) {
  return lines.length > 0 ? [title, ...lines, ''] : [];
}

function totals(passed, failed, skipped) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
