import { readOneBranch } from './read-one-branch';

describe('reading one branch', () => {
  it('reads again while a fork happens between the reads, and reports each retry', async () => {
    let forks = 4;
    const onRetry = jest.fn();
    expect(await readOneBranch(() => Promise.resolve(forks-- > 0 ? undefined : 'found'), onRetry)).toBe('found');
    expect(onRetry).toHaveBeenCalledTimes(4);
  });

  it('gives up after five reads', async () => {
    const read = jest.fn(() => Promise.resolve(undefined));
    await expect(readOneBranch(read)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(read).toHaveBeenCalledTimes(5);
  });

  it('returns what is falsy but found', async () => {
    expect(await readOneBranch(() => Promise.resolve(0))).toBe(0);
  });
});
