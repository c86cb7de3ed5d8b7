import { LineLimit } from './line-limit';
import { createLogger } from './logger';

describe('LineLimit', () => {
  let time = 0;
  let lines: Record<string, unknown>[] = [];
  const limit = new LineLimit(
    createLogger('test', 'warn', { write: (line) => void lines.push(JSON.parse(line)) }),
    () => time,
  );
  const write = (kind: string, count: number) => {
    lines = [];
    for (let written = 0; written < count; written++) limit.write('warn', kind, { kind }, 'no response');
    return lines.map(({ msg }) => msg);
  };

  it('writes the first ten lines of a kind, and says that it leaves further ones out', () => {
    expect(write('a', 25)).toEqual([
      ...Array.from({ length: 9 }, () => 'no response'),
      'no response; further such lines are left out for up to ten seconds',
    ]);
    expect(write('b', 1)).toEqual(['no response']);
  });

  it('counts those that it left out in the first line after ten seconds', () => {
    time += 9_999;
    expect(write('a', 5)).toEqual([]);
    time += 1;
    expect(write('a', 2)).toEqual(['no response', 'no response']);
    expect(lines).toMatchObject([{ kind: 'a', level: 40, leftOut: 20 }, { kind: 'a' }]);
    expect(lines[1]).not.toHaveProperty('leftOut');
  });
});
