import { quantile } from '../load';
import type { MeasuredFile } from '../measured-file';
import { medianOf } from '../queries/measure-queries';
import { rowsOf, type TargetRow } from './target-row';

/** Requests whose response is in the newest range, or at a position that leads to one. */
const ACTIVE = /20 rows|pos /;

/** Requests to the distributed set, from a file of the benchmark `suite-queries`. */
export function suiteQueryTargets(file: MeasuredFile): TargetRow[] {
  const indices = file.keys('figures');
  const nameOf = (index: string): string => file.text('figures', index, 'name');
  const isFirst = (index: string): boolean => indices.find((each) => nameOf(each) === nameOf(index)) === index;
  const few = indices.filter(isFirst);
  const compared = few.filter((index) => file.keys('figures', index, 'alone').includes('bare'));
  const many = indices.filter((index) => !isFirst(index));
  const runs = (index: string, load: string, side: string, figure: string): number[] => {
    const keys = ['figures', index, load, side];
    return file.keys(...keys).map((run) => file.positive(...keys, run, figure));
  };
  const rows = (of: readonly string[], measure: (index: string) => number): [string, number][] =>
    of.map((index) => [nameOf(index), measure(index)]);
  const toBare = (load: string, figure: string) => (index: string) =>
    medianRatio(runs(index, load, 'service', figure), runs(index, load, 'bare', figure));
  const toFew = (index: string): number => {
    const base = few.find((each) => nameOf(each) === nameOf(index)) as string;
    return medianRatio(runs(index, 'alone', 'service', 'p50'), runs(base, 'alone', 'service', 'p50'));
  };
  const hop = (index: string): number =>
    medianOf(runs(index, 'alone', 'gateway', 'p50')) - medianOf(runs(index, 'alone', 'service', 'p50'));
  const throughGateway = (index: string): number =>
    medianRatio(runs(index, 'busy', 'gateway', 'perSecond'), runs(index, 'busy', 'service', 'perSecond'));
  const isActive = (index: string): boolean => ACTIVE.test(nameOf(index));
  return [
    ...rowsOf(
      { against: 'p50 of the bare search', bound: 'at most', value: 1.3 },
      rows(compared, toBare('alone', 'p50')),
    ),
    ...rowsOf(
      { against: 'p99 of the bare search', bound: 'at most', value: 1.3 },
      rows(compared, toBare('alone', 'p99')),
    ),
    ...rowsOf(
      { against: 'requests/s of the bare search', bound: 'at least', value: 0.6 },
      rows(compared, toBare('busy', 'perSecond')),
    ),
    ...rowsOf({ against: 'p50 with few ranges', bound: 'at most', value: 1.3 }, rows(many.filter(isActive), toFew)),
    ...rowsOf(
      { against: 'p50 with few ranges', bound: 'at most', value: 2 },
      rows(
        many.filter((index) => !isActive(index)),
        toFew,
      ),
    ),
    ...rowsOf({ against: 'ms more than the API, p50', bound: 'at most', value: 0.3 }, rows(few, hop)),
    ...rowsOf({ against: 'requests/s of the API', bound: 'at least', value: 0.7 }, rows(few, throughGateway)),
  ];
}

function medianRatio(values: readonly number[], base: readonly number[]): number {
  return medianOf(values.map((value, run) => value / (base[run] ?? NaN)));
}

const SERVERS_BESIDE = ['elasticsearch', 'redis'];

/** Indexing of the distributed set, from a file of the benchmark `suite`. */
export function suiteTargets(file: MeasuredFile): TargetRow[] {
  const recording = ['figures', 'recording'];
  const processors = (name: string): number => file.number(...recording, 'processorSeconds', name);
  const ours = file
    .keys(...recording, 'processorSeconds')
    .filter((name) => !SERVERS_BESIDE.includes(name))
    .reduce((sum, name) => sum + processors(name), 0);
  const bytes = file
    .keys(...recording, 'indices')
    .reduce((sum, kind) => sum + file.number(...recording, 'indices', kind, 'bytes'), 0);
  const seconds = file.positive(...recording, 'seconds');
  return [
    ...rowsOf({ against: 'rate of a bare _bulk loop', bound: 'at least', value: 0.7 }, [
      ['indexing, socket to committed', file.positive('figures', 'bareBulk', 'seconds') / seconds],
    ]),
    ...rowsOf({ against: "Elasticsearch's processor time", bound: 'at most', value: 0.6 }, [
      ['processor time of all apps and RabbitMQ', ours / processors('elasticsearch')],
    ]),
    ...rowsOf({ against: 'bytes', bound: 'at most', value: 130 }, [
      ['Elasticsearch, per action', bytes / file.positive(...recording, 'contents', 'actions')],
    ]),
  ];
}

/** From a block at the node to a response that shows it, from a file of the benchmark `stream`. */
export function streamTargets(file: MeasuredFile, mostMs: number): TargetRow[] {
  const times = file.keys('figures', 'response').map((index) => file.number('figures', 'response', index));
  const ascending = times.sort((left, right) => left - right);
  return rowsOf({ against: 'ms, p99', bound: 'at most', value: mostMs }, [
    [`head to response, ${file.text('figures', 'set')}`, quantile(ascending, 0.99)],
  ]);
}
