import { Upstreams } from './upstreams';

describe('Upstreams', () => {
  let time = 0;
  const create = (...urls: string[]) => new Upstreams(urls, () => time);
  const turns = (upstreams: Upstreams, count: number) => Array.from({ length: count }, () => upstreams.next()).join('');

  it('takes each in its turn', () => {
    expect(turns(create('a', 'b', 'c'), 6)).toBe('abcabc');
    expect(turns(create('a'), 3)).toBe('aaa');
  });

  it('leaves out who is away, until a while has passed or it answers', () => {
    const upstreams = create('a', 'b', 'c');
    upstreams.setAway('b');
    expect(turns(upstreams, 6)).not.toContain('b');
    time += 5_001;
    expect(turns(upstreams, 3)).toContain('b');
    upstreams.setAway('a');
    upstreams.setHere('a');
    expect(turns(upstreams, 3)).toContain('a');
  });

  it('asks who is away when nobody else is left', () => {
    const upstreams = create('a', 'b');
    for (const url of ['a', 'b']) upstreams.setAway(url);
    expect(turns(upstreams, 4)).toBe('abab');
    expect(upstreams.startingWith('b')).toEqual(['b', 'a']);
  });

  it('tries the one named first, and who is away last', () => {
    const upstreams = create('a', 'b', 'c');
    upstreams.setAway('b');
    expect(upstreams.startingWith('c')).toEqual(['c', 'a', 'b']);
    expect(upstreams.startingWith('b')[0]).toBe('b');
  });
});
