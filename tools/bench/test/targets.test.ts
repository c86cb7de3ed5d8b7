import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readTargets } from '../src/targets/measured-folder';
import { targetTable } from '../src/targets/show-targets';
import { isMet } from '../src/targets/target-row';

const PROGRAM = path.join(__dirname, '../dist/main.js');
const run = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-targets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (file: string, benchmark: string, figures: unknown): void =>
  writeFileSync(path.join(folder, file), JSON.stringify({ benchmark, figures }));
const measured = (): [string, number, boolean][] =>
  readTargets(folder).rows.map((row) => [row.what, Number(row.measured.toFixed(3)), isMet(row)]);

describe('the targets', () => {
  it('of requests to the embedded set are medians of the ratios of the runs; those of blocks are lower', () => {
    const rates = (...perSecond: number[]): object[] => perSecond.map((each) => ({ perSecond: each }));
    write('queries.json', 'queries', [
      { name: 'get_actions, 20 rows', service: rates(60, 40, 90), bare: rates(100, 100, 100), aloneMs: [2, 1, 3] },
      { name: 'chain get_block', service: rates(40), bare: rates(100), aloneMs: [9] },
    ]);
    expect(measured()).toEqual([
      ['get_actions, 20 rows', 0.6, true],
      ['chain get_block', 0.4, true],
      ['get_actions, 20 rows', 2, false],
    ]);
  });

  it('of threads compare the time of one with that of two, by run', () => {
    const runs = (...times: number[]): object[] => times.map((renderMs) => ({ renderMs, mainMs: 1, perSecond: 1 }));
    write('api-threads.json', 'api-threads', [
      { name: 'get_transaction', runs: [runs(9, 8, 5), runs(10, 10, 10)] },
      { name: 'chain get_block', runs: [runs(9, 9, 9), runs(10, 10, 20)] },
    ]);
    expect(measured()).toEqual([
      ['get_transaction', 0.8, false],
      ['chain get_block', 0.9, true],
    ]);
  });

  it('of requests while indexing are medians of the ratios of rates and of the slowest responses', () => {
    const runs = (...values: number[]): object[] => values.map((each) => ({ perSecond: 100 * each, p99: 8 / each }));
    write('queries-while-indexing.json', 'queries-while-indexing', {
      cases: [{ name: 'get_transaction', alone: runs(1, 1, 1), beside: runs(0.2, 0.4, 0.9) }],
    });
    expect(measured()).toEqual([
      ['get_transaction, while indexing', 0.4, false],
      ['get_transaction, while indexing', 2.5, true],
    ]);
  });

  it('of indexing compare with the loop that only writes to LMDB', () => {
    const runs = [1, 2, 4].map((seconds) => ({ seconds, bareLmdbSeconds: 1 }));
    write('indexing.json', 'indexing', { recording: { runs } });
    expect(measured()).toEqual([['indexing, socket to committed', 0.5, false]]);
  });

  it('of growth are the worst of all lengths', () => {
    write('growth.json', 'growth', {
      lengths: [1, 4],
      indexing: [
        { seconds: 1, diskBytes: 100, memoryBytes: 5e8 },
        { seconds: 5, diskBytes: 380, memoryBytes: 3e8 },
      ],
      startMs: [500, 2_500],
      cases: [
        {
          name: 'get_actions',
          p50: [
            [1, 2],
            [1.2, 2],
          ],
        },
      ],
    });
    expect(measured()).toEqual([
      ['indexing', 0.8, false],
      ['bytes on disk per trace', 1, true],
      ['memory', 500, false],
      ['start', 2.5, false],
      ['get_actions', 1.2, true],
    ]);
  });

  it('of the distributed set count the processor time of the apps and of RabbitMQ', () => {
    write('suite.json', 'suite', {
      recording: {
        contents: { actions: 100 },
        seconds: 10,
        processorSeconds: { reader: 1, indexer: 2, rabbitmq: 3, redis: 50, elasticsearch: 12 },
        indices: { actions: { bytes: 9_000 }, bodies: { bytes: 5_000 } },
      },
      bareBulk: { seconds: 8 },
    });
    expect(measured().map(([, value, met]) => [value, met])).toEqual([
      [0.8, true],
      [0.5, true],
      [140, false],
    ]);
  });

  it('of requests to the distributed set compare the second layout with the first', () => {
    const side = (p50: number, perSecond: number): object[] => [{ p50, p99: 2 * p50, perSecond }];
    const figure = (name: string, p50: number, hasBare = true): object => ({
      name,
      alone: { service: side(p50, 1), gateway: side(p50 + 0.2, 1), ...(hasBare && { bare: side(1, 1) }) },
      busy: { service: side(p50, 50), gateway: side(p50, 40), ...(hasBare && { bare: side(1, 100) }) },
    });
    write('suite-queries.json', 'suite-queries', [
      figure('get_actions, 20 rows', 1),
      figure('get_actions, 20 rows', 1.5),
      figure('get_actions, no rows', 2, false),
      figure('get_actions, no rows', 3, false),
    ]);
    const measuredRows = readTargets(folder).rows.map((row) => [
      `${row.what}: ${row.against}`,
      Number(row.measured.toFixed(3)),
      isMet(row),
    ]);
    expect(measuredRows).toEqual([
      ['get_actions, 20 rows: p50 of the bare search', 1, true],
      ['get_actions, 20 rows: p99 of the bare search', 1, true],
      ['get_actions, 20 rows: requests/s of the bare search', 0.5, false],
      ['get_actions, 20 rows: p50 with few ranges', 1.5, false],
      ['get_actions, no rows: p50 with few ranges', 1.5, true],
      ['get_actions, 20 rows: ms more than the API, p50', 0.2, true],
      ['get_actions, no rows: ms more than the API, p50', 0.2, true],
      ['get_actions, 20 rows: requests/s of the API', 0.8, true],
      ['get_actions, no rows: requests/s of the API', 0.8, true],
    ]);
  });

  it('are printed with the files that are missing', () => {
    write('stream-embedded.json', 'stream', { set: 'embedded', response: [20, 10, 120] });
    const table = targetTable(folder);
    expect(table).toMatch(/\| head to response, embedded +\| ms, p99 +\| at most 100 +\| 120 +\| no +\|/);
    expect(table).toContain('0 of 1 targets are met.\nThe folder lacks indexing.json, queries.json,');
  });
});

describe('npm run bench', () => {
  it('lists the benchmarks, and fails without the name of one', () => {
    for (const args of [[], ['constructor'], ['--recording', 'x']]) {
      const { status, stderr } = run(...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/ {2}indexing +decoding alone[^]* {2}targets +how /)]);
    }
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/ {2}indexing +decoding alone/) });
  });

  it('says which file does not fit, in one line', () => {
    write('suite.json', 'queries', []);
    const { status, stderr } = run('targets', '--from', folder);
    const file = path.join(folder, 'suite.json');
    expect([status, stderr]).toEqual([
      1,
      `${file} is of the benchmark queries, but one of suite is needed there. ` +
        'Write it with: npm run bench -- suite --recording DIR --out FILE\n',
    ]);
  });

  it.each([
    ['indexing', '--recording x --runs five', '--runs takes a number from 1 to 10000, not "five".'],
    ['indexing', '--recording x --threads 17', '--threads takes a number from 0 to 16, not "17".'],
    ['indexing', '--recording x --onblock-blocks 0', '--onblock-blocks takes a number from 1 to 1000000, not "0".'],
    ['queries', '--recording x --seconds 0', '--seconds takes a number from 1 to 86400, not "0".'],
    ['queries', '--recording x --threads 65', '--threads takes a number from 0 to 64, not "65".'],
    ['api-threads', '--recording x --connections 1e2', '--connections takes a number from 1 to 1000, not "1e2".'],
    ['queries-while-indexing', '--recording x --runs 0', '--runs takes a number from 1 to 10000, not "0".'],
    ['growth', '--recording x --rounds 1,,4', '--rounds takes a number from 1 to 10000, not "".'],
    ['growth', '--recording x --runs 0', '--runs takes a number from 1 to 10000, not "0".'],
    ['suite', '--recording x --indexers 65', '--indexers takes a number from 1 to 64, not "65".'],
    ['suite', '--recording x --deserializers 0', '--deserializers takes a number from 1 to 64, not "0".'],
    ['suite', '--recording x --apis 1.5', '--apis takes a number from 1 to 64, not "1.5".'],
    ['suite', '--recording x --rounds 0', '--rounds takes a number from 1 to 10000, not "0".'],
    ['suite', '--recording x --onblock-blocks x', '--onblock-blocks takes a number from 1 to 1000000, not "x".'],
    ['suite-queries', '--recording x --few many', '--few takes a number from 0 to 1000000000, not "many".'],
    ['suite-queries', '--recording x --many=-1', '--many takes a number from 0 to 1000000000, not "-1".'],
    ['stream', '--recording x --blocks 0', '--blocks takes a number from 1 to 1000000, not "0".'],
    ['memory', '--out x --case 5', '--case takes a number from 1 to 4, not "5".'],
    ['memory', '--out x --blocks 0', '--blocks takes a number from 1 to 1000000, not "0".'],
    ['memory', '--out x --deltas-mb 2001', '--deltas-mb takes a number from 1 to 2000, not "2001".'],
    ['memory', '--out x --away-seconds 0', '--away-seconds takes a number from 1 to 86400, not "0".'],
    ['pages', '--recording x --rounds=-1', '--rounds takes a number from 1 to 10000, not "-1".'],
    ['pages', '--set embedded', '--recording is missing.\n\nnpm run bench -- pages --recording DIR'],
    ['all', '--recording x', '--out is missing.\n\nnpm run bench -- all --recording DIR'],
    ['targets', '--folder x', "Unknown option '--folder'. All options: npm run bench -- --help"],
  ])('refuses wrong options before it measures: %s %s', (name, options, message) => {
    const { status, stdout, stderr } = run(name, ...options.split(' '));
    expect([status, stdout, stderr.slice(0, message.length)]).toEqual([2, '', message]);
  });

  it.each([
    'indexing',
    'queries',
    'api-threads',
    'queries-while-indexing',
    'growth',
    'suite',
    'suite-queries',
    'stream',
    'memory',
    'pages',
    'all',
    'targets',
  ])('describes the options of %s', (name) => {
    const { status, stdout } = run(name, '--help');
    expect([status, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(`^npm run bench -- ${name} `)]);
  });
});
