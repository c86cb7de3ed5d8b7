import { HistoryError } from '@antelope-history/schemas';
import { logConnectionErrors, openWhenAvailable } from './server-availability';
import { createLogger } from './logger';

const away = (): HistoryError => new HistoryError('STORE_UNAVAILABLE', 'the cluster is unavailable');

describe('openWhenAvailable', () => {
  it('retries while the server is unavailable and reports each failure', async () => {
    const failures: string[] = [];
    let attempts = 0;
    const opened = openWhenAvailable(
      async () => {
        if (++attempts < 3) throw away();
        return attempts;
      },
      'STORE_UNAVAILABLE',
      ({ message }) => failures.push(message),
    );
    expect(await opened).toBe(3);
    expect(failures).toEqual(['the cluster is unavailable', 'the cluster is unavailable']);
  });

  it('ends at once when it is interrupted while it waits', async () => {
    const interrupted = new AbortController();
    const opened = openWhenAvailable(
      () => Promise.reject(away()),
      'STORE_UNAVAILABLE',
      () => interrupted.abort(),
      interrupted.signal,
    );
    await expect(opened).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('rejects with any other error at once', async () => {
    const refuse = () => Promise.reject(new HistoryError('STORE_REFUSED', 'no'));
    await expect(openWhenAvailable(refuse, 'STORE_UNAVAILABLE', () => undefined)).rejects.toThrow('no');
  });
});

describe('logConnectionErrors', () => {
  it('writes a warning with the name of the server and the code', () => {
    const lines: string[] = [];
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    logConnectionErrors(log, 'the store')(away());
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 40,
      code: 'STORE_UNAVAILABLE',
      msg: 'the store: the cluster is unavailable',
    });
  });
});
