import { createLogger } from '../logger';
import { warnOfFewOpenFiles } from './open-file-limit';

describe('warnOfFewOpenFiles', () => {
  function linesAt(limits: () => string): unknown[] {
    const lines: unknown[] = [];
    const log = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
    warnOfFewOpenFiles({ maxConnections: 1_000 }, log, limits);
    return lines;
  }
  const limitOf = (soft: string) => () =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft}                 20000                files     \n`;

  it('warns below the connections and what else is open', () => {
    expect(linesAt(limitOf('1199'))).toMatchObject([
      { level: 40, openFiles: 1_199, maxConnections: 1_000, msg: expect.stringContaining('gateway.max_connections') },
    ]);
  });

  it.each([
    ['enough', limitOf('1200')],
    ['no limit', limitOf('unlimited')],
    ['another system', () => ''],
    [
      'no such file',
      () => {
        throw new Error('ENOENT');
      },
    ],
  ])('does not warn: %s', (_case, limits) => expect(linesAt(limits)).toEqual([]));
});
