import type { MeasuredFile } from '../measured-file';
import { medianOf } from '../queries/measure-queries';
import { rowsOf, type TargetRow } from './target-row';

/** Blocks have hundreds of kilobytes, which Express only sends. */
const BLOCKS = /get_block$/;
const QUICKEST = 'get_actions, 20 rows';

/** Requests to the embedded set, from a file of the benchmark `queries`. */
export function queryTargets(file: MeasuredFile): TargetRow[] {
  const cases = file.keys('figures').map((index) => {
    const runs = (side: string): number[] =>
      file.keys('figures', index, side).map((run) => file.positive('figures', index, side, run, 'perSecond'));
    const bare = runs('bare');
    const alone = file.keys('figures', index, 'aloneMs').map((run) => file.number('figures', index, 'aloneMs', run));
    return {
      name: file.text('figures', index, 'name'),
      ratio: medianOf(runs('service').map((perSecond, run) => perSecond / (bare[run] ?? NaN))),
      aloneMs: medianOf(alone),
    };
  });
  const ratios = (areBlocks: boolean): [string, number][] =>
    cases.filter(({ name }) => BLOCKS.test(name) === areBlocks).map(({ name, ratio }) => [name, ratio]);
  const quickest = cases.filter(({ name }) => name === QUICKEST);
  return [
    ...rowsOf({ against: 'requests/s of Express', bound: 'at least', value: 0.5 }, ratios(false)),
    ...rowsOf({ against: 'requests/s of Express', bound: 'at least', value: 0.3 }, ratios(true)),
    ...rowsOf(
      { against: 'ms, p50 at one connection', bound: 'at most', value: 1.5 },
      quickest.map(({ name, aloneMs }) => [name, aloneMs]),
    ),
  ];
}

/** Threads that render responses, from a file of the benchmark `api-threads`: two of them, compared with one. */
export function threadTargets(file: MeasuredFile): TargetRow[] {
  const shares = file.keys('figures').map((index): [string, number] => {
    const runs = (service: string): number[] =>
      file
        .keys('figures', index, 'runs', service)
        .map((run) => file.positive('figures', index, 'runs', service, run, 'renderMs'));
    const two = runs('1');
    return [file.text('figures', index, 'name'), medianOf(runs('0').map((one, run) => one / (two[run] ?? NaN)))];
  });
  return rowsOf({ against: 'responses per time of a thread, two beside one', bound: 'at least', value: 0.85 }, shares);
}

/** Requests to the embedded set while it indexes, from a file of the benchmark `queries-while-indexing`. */
export function whileIndexingTargets(file: MeasuredFile): TargetRow[] {
  const ratiosOf = (figure: 'perSecond' | 'p99'): [string, number][] =>
    file.keys('figures', 'cases').map((index) => {
      const ofCase = ['figures', 'cases', index];
      const ratios = file
        .keys(...ofCase, 'beside')
        .map((run) => file.positive(...ofCase, 'beside', run, figure) / file.positive(...ofCase, 'alone', run, figure));
      return [`${file.text(...ofCase, 'name')}, while indexing`, medianOf(ratios)];
    });
  return [
    ...rowsOf({ against: 'requests/s without indexing', bound: 'at least', value: 0.5 }, ratiosOf('perSecond')),
    ...rowsOf({ against: 'p99 without indexing', bound: 'at most', value: 3 }, ratiosOf('p99')),
  ];
}

/** Indexing of the embedded set, from a file of the benchmark `indexing`. */
export function indexingTargets(file: MeasuredFile): TargetRow[] {
  const runs = ['figures', 'recording', 'runs'];
  const ratios = file
    .keys(...runs)
    .map((run) => file.positive(...runs, run, 'bareLmdbSeconds') / file.positive(...runs, run, 'seconds'));
  return rowsOf({ against: 'rate of a loop that only writes to LMDB', bound: 'at least', value: 0.7 }, [
    ['indexing, socket to committed', medianOf(ratios)],
  ]);
}

/** The embedded set on a chain that grows, from a file of the benchmark `growth`: each figure is the worst of all lengths. */
export function growthTargets(file: MeasuredFile): TargetRow[] {
  const lengths = file.keys('figures', 'lengths').map((index) => file.positive('figures', 'lengths', index));
  const ofLength = (figure: string): number[] =>
    lengths.map((_, index) => file.positive('figures', 'indexing', String(index), figure));
  const perRound = (figure: string): number[] =>
    ofLength(figure).map((value, index) => value / (lengths[index] as number));
  const toFirst = (values: readonly number[]): number[] => values.map((value) => value / (values[0] as number));
  const startMs = file.keys('figures', 'startMs').map((index) => file.number('figures', 'startMs', index));
  const longest = `${lengths.at(-1)} times as long`;
  return [
    ...rowsOf({ against: `rate of the shortest chain, up to ${longest}`, bound: 'at least', value: 0.9 }, [
      ['indexing', 1 / Math.max(...toFirst(perRound('seconds')))],
    ]),
    ...rowsOf({ against: `that of the shortest chain, up to ${longest}`, bound: 'at most', value: 1.1 }, [
      ['bytes on disk per trace', Math.max(...toFirst(perRound('diskBytes')))],
    ]),
    ...rowsOf({ against: 'MB, without pages of the file', bound: 'at most', value: 400 }, [
      ['memory', Math.max(...ofLength('memoryBytes')) / 1e6],
    ]),
    ...rowsOf({ against: 's', bound: 'at most', value: 2 }, [['start', Math.max(...startMs) / 1000]]),
    ...rowsOf(
      { against: `p50 with the shortest chain, up to ${longest}`, bound: 'at most', value: 1.3 },
      slowest(file),
    ),
  ];
}

/** The largest of the medians of the lengths, as a ratio to that of the shortest, by case. */
function slowest(file: MeasuredFile): [string, number][] {
  return file.keys('figures', 'cases').map((index) => {
    const p50 = ['figures', 'cases', index, 'p50'];
    const runsOf = (length: string): number[] =>
      file.keys(...p50, length).map((run) => file.positive(...p50, length, run));
    const first = runsOf('0');
    const ratios = file
      .keys(...p50)
      .map((length) => medianOf(runsOf(length).map((ms, run) => ms / (first[run] ?? NaN))));
    return [file.text('figures', 'cases', index, 'name'), Math.max(...ratios)];
  });
}
