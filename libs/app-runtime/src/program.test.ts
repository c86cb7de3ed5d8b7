import { EventEmitter } from 'node:events';
import v8 from 'node:v8';
import { type ProgramContext, type ProgramHost, runProgram } from './program';

/** A process that records its exit codes. */
class TestHost extends EventEmitter implements ProgramHost {
  argv = ['node', 'main.js'];
  env: NodeJS.ProcessEnv = { HISTORY_LOG_LEVEL: 'silent' };
  exitCodes: number[] = [];
  ended = new Promise<void>((resolve) => this.once('end', () => resolve()));

  exit(code: number): void {
    this.exitCodes.push(code);
    this.emit('end');
  }
}

describe('runProgram', () => {
  let host: TestHost;
  let closed: string[];
  beforeEach(() => {
    host = new TestHost();
    closed = [];
  });

  const open = ({ onStop }: Pick<ProgramContext, 'onStop'>) => {
    onStop(() => void closed.push('store'));
    onStop(async () => void closed.push('server'));
  };

  it.each(['SIGTERM', 'SIGINT'])('closes in reverse order and exits with 0 on %s', async (signal) => {
    runProgram({ name: 'test', uses: ['keyValue'], start: async (context) => open(context) }, host);
    host.emit(signal);
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [0]]);
  });

  it('closes what a failed start has opened, and exits with 1', async () => {
    const start = async (context: Pick<ProgramContext, 'onStop'>) => {
      open(context);
      throw new Error('no');
    };
    runProgram({ name: 'test', uses: ['keyValue'], start }, host);
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it.each(['unhandledRejection', 'uncaughtException'])('stops and exits with 1 on %s', async (event) => {
    runProgram({ name: 'test', uses: ['keyValue'], start: async (context) => open(context) }, host);
    host.emit(event, new Error('lost'));
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it('keeps the objects of responses in the young generation', async () => {
    const setFlags = jest.spyOn(v8, 'setFlagsFromString');
    runProgram({ name: 'test', uses: ['keyValue'], start: async (context) => open(context) }, host);
    expect(setFlags).toHaveBeenCalledWith('--no-allocation-site-pretenuring');
    host.emit('SIGTERM');
    await host.ended;
  });

  it('exits with 1, once, when components fail permanently', async () => {
    const start = async ({ fail }: Pick<ProgramContext, 'fail'>) => {
      fail(new Error('a stage failed'));
      fail(new Error('another stage failed'));
    };
    runProgram({ name: 'test', uses: ['keyValue'], start }, host);
    await host.ended;
    expect(host.exitCodes).toEqual([1]);
  });

  it('closes the remaining components when one fails to close, and exits with 1', async () => {
    const start = async (context: Pick<ProgramContext, 'onStop'>) => {
      open(context);
      context.onStop(() => Promise.reject(new Error('stuck')));
    };
    runProgram({ name: 'test', uses: ['keyValue'], start }, host);
    host.emit('SIGTERM');
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it('exits at once on a second signal but not on a duplicate of the first, and after a limit when a component hangs', async () => {
    jest.useFakeTimers();
    try {
      runProgram(
        { name: 'test', uses: ['keyValue'], start: async ({ onStop }) => onStop(() => new Promise(() => undefined)) },
        host,
      );
      host.emit('SIGTERM');
      jest.advanceTimersByTime(400);
      host.emit('SIGTERM');
      expect(host.exitCodes).toEqual([]);
      jest.advanceTimersByTime(200);
      host.emit('SIGINT');
      expect(host.exitCodes).toEqual([1]);
      jest.advanceTimersByTime(10_000);
      expect(host.exitCodes).toEqual([1, 1]);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each<[string, Partial<TestHost>]>([
    ['configuration', { env: { HISTORY_GATEWAY__PORT: 'x' } }],
    ['file that `--config` names', { argv: ['node', 'main.js', '--config', '/nowhere/config.json'] }],
    ['command line', { argv: ['node', 'main.js', '--cfg'] }],
  ])('does not start with a wrong %s', (_what, wrong) => {
    Object.assign(host, wrong);
    let started = false;
    runProgram({ name: 'test', uses: ['keyValue'], start: async () => void (started = true) }, host);
    expect([started, host.exitCodes]).toEqual([false, [1]]);
  });

  it('reads no password file of servers that it does not use', async () => {
    host.env = {
      ...host.env,
      HISTORY_STORE__KIND: 'elasticsearch',
      HISTORY_STORE__ELASTICSEARCH__PASSWORD_FILE: '/nowhere/secret',
    };
    const start = async ({ fail }: Pick<ProgramContext, 'fail'>) => fail(new Error('the end of the test'));
    runProgram({ name: 'test', uses: ['store'], start: () => Promise.reject(new Error('must not start')) }, host);
    await host.ended;
    const started = jest.fn(start);
    const other = new TestHost();
    other.env = host.env;
    runProgram({ name: 'test', uses: ['broker', 'keyValue'], start: started }, other);
    await other.ended;
    expect(started).toHaveBeenCalledTimes(1);
  });
});
