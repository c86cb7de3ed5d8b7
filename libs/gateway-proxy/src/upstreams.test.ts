import { Upstreams } from './upstreams';

describe('Upstreams', () => {
  let time = 0;
  const create = (...urls: string[]) => new Upstreams(urls, () => time);
  const turns = (upstreams: Upstreams, count: number) => Array.from({ length: count }, () => upstreams.next()).join('');

  it('chooses upstreams in turn', () => {
    expect(turns(create('a', 'b', 'c'), 6)).toBe('abcabc');
    expect(turns(create('a'), 3)).toBe('aaa');
  });

  it('skips an unavailable upstream until RETRY_AFTER_MS has passed or it responds', () => {
    const upstreams = create('a', 'b', 'c');
    upstreams.setUnavailable('b');
    expect(turns(upstreams, 6)).not.toContain('b');
    time += 5_001;
    expect(turns(upstreams, 3)).toContain('b');
    upstreams.setUnavailable('a');
    upstreams.setAvailable('a');
    expect(turns(upstreams, 3)).toContain('a');
  });

  it('skips a faulty upstream until it is well, also when it accepts connections', () => {
    const upstreams = create('a', 'b', 'c');
    upstreams.setUnavailable('b');
    upstreams.setFaulty('b');
    upstreams.setAvailable('b');
    time += 60_000;
    expect([turns(upstreams, 6), upstreams.isFaulty('b')]).toEqual(['acacac', true]);
    upstreams.setUnavailable('b');
    upstreams.setWell('b');
    expect([turns(upstreams, 3), upstreams.isFaulty('b')]).toEqual(['abc', false]);
    upstreams.setUnavailable('b');
    upstreams.setWell('b');
    expect(turns(upstreams, 3)).not.toContain('b');
  });

  it('chooses an unavailable upstream when no other is left', () => {
    const upstreams = create('a', 'b');
    for (const url of ['a', 'b']) upstreams.setUnavailable(url);
    expect(turns(upstreams, 4)).toBe('abab');
    expect(upstreams.startingWith('b')).toEqual(['b', 'a']);
  });

  it('takes no turn when it says what to try after an upstream', () => {
    const upstreams = create('a', 'b');
    const chosen = Array.from({ length: 4 }, () => upstreams.startingWith(upstreams.next())[0]);
    expect(chosen.join('')).toBe('abab');
  });

  it('tries the given upstream first, and unavailable ones last', () => {
    const upstreams = create('a', 'b', 'c');
    upstreams.setUnavailable('b');
    expect(upstreams.startingWith('c')).toEqual(['c', 'a', 'b']);
    expect(upstreams.startingWith('b')[0]).toBe('b');
  });
});
