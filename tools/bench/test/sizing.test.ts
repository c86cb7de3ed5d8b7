import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { computeSection } from '../src/sizing/compute-section';
import { embeddedCosts, requestRates, suiteCosts } from '../src/sizing/costs';
import { MeasuredFile } from '../src/measured-file';
import { sizingSection } from '../src/sizing/sizing-document';
import { parseCommandLine } from '../src/sizing/sizing-options';
import { embeddedFile, type MadeFile, suiteFile } from './made-files';

const PROGRAM = path.join(__dirname, '../dist/sizing/main.js');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-sizing-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('the costs in the file of a benchmark', () => {
  it('are the median of the runs on blocks, and what the recording takes above them', () => {
    const costs = embeddedCosts(new MeasuredFile('embedded.json', 'indexing', embeddedFile()));
    expect(costs.diskBytes.perBlock).toBeCloseTo(700);
    // 2,700 bytes less 10 blocks are negative: a recording can not take less than its blocks.
    expect(costs.diskBytes.perAction).toBe(0);
    expect(costs.busiestThreadSeconds.perBlock).toBeCloseTo(0.02);
    expect(costs.busiestThreadSeconds.perAction).toBeCloseTo((1.2 - 0.2) / 10);
    expect([costs.chain.actions, costs.memoryBytes]).toEqual([10, 4e8]);
  });

  it('are those of each stage and kind of index, without indices that do not grow', () => {
    const { diskBytes, processorSeconds, memoryBytes } = suiteCosts(
      new MeasuredFile('suite.json', 'suite', suiteFile()),
    );
    expect(diskBytes.actions).toEqual({ perBlock: 16, perAction: (16_000 - 160) / 10 });
    expect(diskBytes.others).toEqual({ perBlock: 0.01, perAction: (10 - 0.1) / 10 });
    expect(processorSeconds.reader).toEqual({ perBlock: 0.01, perAction: (10 - 0.1) / 10 });
    expect(memoryBytes).toEqual({ reader: 1e8, deserializer: 2e8, indexer: 3e8 });
  });

  it('are the requests of one processor', () => {
    const figures = [
      { name: 'get_actions', service: [{ processorMs: 0.4 }, { processorMs: 0.5 }, { processorMs: 9 }] },
    ];
    const file = new MeasuredFile('q.json', 'queries', JSON.stringify({ benchmark: 'queries', figures }));
    expect(requestRates(file)).toEqual([{ name: 'get_actions', perSecond: 2_000 }]);
  });
});

describe('a file that can not be used', () => {
  const negative = ({ figures }: MadeFile): void => void (figures.onblock['indices'] = { actions: { bytes: -1 } });
  const withoutTime = ({ figures }: MadeFile): void => {
    delete figures.recording['processorSeconds'];
  };
  const withoutActions = ({ figures }: MadeFile): void =>
    void (figures.recording['contents'] = { blocks: 10, actions: 10, traces: 10 });
  const again = 'Write it with: npm run bench -- suite --recording DIR --out FILE';

  it.each([
    ['is not JSON', 'npm run bench -- suite\n', `is not JSON. ${again}`],
    ['is JSON of something else', '[1]', `is not of a benchmark, but one of suite is needed there. ${again}`],
    [
      'is of another benchmark',
      embeddedFile(),
      `is of the benchmark indexing, but one of suite is needed there. ${again}`,
    ],
    ['has a negative number', suiteFile(negative), 'figures.onblock.indices.actions.bytes in'],
    ['lacks processor times', suiteFile(withoutTime), 'lacks figures.recording.processorSeconds.reader.'],
    ['has no actions', suiteFile(withoutActions), 'has no actions besides onblock: measure another one.'],
  ])('%s: the message says what to change', (_what, text, message) => {
    const suite = fileWith('suite.json', text);
    const options = parseCommandLine(['--suite', suite]);
    expect(() => computeSection(options)).toThrow(message);
  });

  it('does not exist: the program says so in one line, without a stack', () => {
    const missing = path.join(folder, 'missing.json');
    const { status, stderr, stdout } = spawnSync(process.execPath, [PROGRAM, '--embedded', missing], {
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      `--embedded ${missing}: there is no such file. Write it with: npm run bench -- indexing --recording DIR --out FILE\n`,
    ]);
  });
});

describe('the section', () => {
  it('of docs/sizing.md is that of the measured files: npm run sizing -- --write makes it again', () => {
    expect(sizingSection().read()).toBe(computeSection(parseCommandLine([])));
  });

  it('of a chain is printed', () => {
    const files = ['--embedded', fileWith('embedded.json', embeddedFile()), '--suite', fileWith('s.json', suiteFile())];
    const chain = ['--blocks', '1000', '--traces', '26000', '--machines', '2'];
    const printed = execFileSync(process.execPath, [PROGRAM, ...files, ...chain], { encoding: 'utf8' });
    expect(printed).toContain('### The chain: 1,000 blocks, 10,000 actions\n');
    expect(printed).toContain('### Where the arithmetic would be wrong');
    expect(printed).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('the measured files', () => {
  it('name no folder and no host', () => {
    for (const file of ['embedded.json', 'suite.json', 'queries.json']) {
      const text = readFileSync(path.join(__dirname, '../measured', file), 'utf8');
      expect(text).not.toMatch(/\/|localhost|127\.0/);
    }
  });
});
