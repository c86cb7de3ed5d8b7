import { parseOptions } from './sizing-options';

const parse = (line: string) => parseOptions(line.split(' ').filter((word) => word !== ''));

describe('the options of sizing', () => {
  it('are the preset chains with the defaults of the configuration', () => {
    const { chains, site } = parse('').sizing(2.5);
    expect(chains.map(({ blocks, actions }) => [blocks, actions])).toEqual([
      [400_000_000, 100_000_000_000],
      [50_000_000, 20_000_000],
    ]);
    expect(site).toEqual({
      processors: 16,
      memoryBytes: 64 * 2 ** 30,
      replicas: 1,
      blocksPerIndex: 1_000_000,
      actionsPerIndex: 200_000_000,
    });
  });

  it('name a chain and machines', () => {
    const { chains, machines, site } = parse('--blocks 10 --actions 20 --machines 4 --replicas 2').sizing(2.5);
    expect([chains, machines, site.replicas]).toEqual([[{ name: 'The chain', blocks: 10, actions: 20 }], [4], 2]);
  });

  it('convert traces into actions besides onblock', () => {
    const { chains } = parse('--blocks 100 --traces 1100').sizing(2.5);
    expect(chains).toEqual([{ name: 'The chain', blocks: 100, actions: 400 }]);
  });

  it.each([
    ['--blocks 10', '--blocks needs either --actions or --traces: add one of them.'],
    ['--blocks 10 --actions 1 --traces 1', '--blocks needs either --actions or --traces: add one of them.'],
    ['--actions 10', '--actions and --traces need --blocks: add the number of blocks of the chain.'],
    ['--blocks=-5 --actions 1', '--blocks is "-5"; it has to be a whole number from 1 to 4294967295, in digits only.'],
    ['--blocks 5 --actions=-1', '--actions is "-1"; it has to be a whole number of at least 0, in digits only.'],
    ['--blocks 0 --actions 1', '--blocks is "0"; it has to be a whole number from 1 to 4294967295, in digits only.'],
    [
      '--blocks 1e6 --actions 1',
      '--blocks is "1e6"; it has to be a whole number from 1 to 4294967295, in digits only.',
    ],
    ['--machines none', '--machines is "none"; it has to be a whole number of at least 1, in digits only.'],
    ['--replicas 11', '--replicas is "11"; it has to be a whole number from 0 to 10, in digits only.'],
    ['--write --machines 3', '--write can not be combined with an option that changes what is computed; leave it out.'],
    ['--write --replicas 0', '--write can not be combined with an option that changes what is computed; leave it out.'],
  ])('refuse %s', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it('refuse an unknown option and show all', () => {
    expect(() => parse('--block 3')).toThrow(/Unknown option '--block'[^]*npm run sizing/);
  });
});
