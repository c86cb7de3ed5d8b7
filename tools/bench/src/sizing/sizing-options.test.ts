import { parseCommandLine } from './sizing-options';

const parse = (line: string) => parseCommandLine(line.split(' ').filter((word) => word !== ''));

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
    ['--blocks=-5 --actions 1', '--blocks takes a number from 1 to 4294967295, not "-5".'],
    ['--blocks 5 --actions=-1', '--actions takes a number from 0 to 999999999999999, not "-1".'],
    ['--blocks 0 --actions 1', '--blocks takes a number from 1 to 4294967295, not "0".'],
    ['--blocks 1e6 --actions 1', '--blocks takes a number from 1 to 4294967295, not "1e6".'],
    ['--machines none', '--machines takes a number from 1 to 100000, not "none".'],
    ['--replicas 11', '--replicas takes a number from 0 to 10, not "11".'],
    ['--write --machines 3', '--write cannot be combined with an option that changes what is computed; leave it out.'],
    ['--write --replicas 0', '--write cannot be combined with an option that changes what is computed; leave it out.'],
  ])('refuse %s', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it('refuse an unknown option and show all', () => {
    expect(() => parse('--block 3')).toThrow(/Unknown option '--block'[^]*npm run sizing/);
  });
});
