import { EventEmitter } from 'node:events';
import { type ProgramContext, type ProgramHost, runProgram } from './program';

/** A process that only notes its end. */
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

  const open = ({ onStop }: ProgramContext) => {
    onStop(() => void closed.push('store'));
    onStop(async () => void closed.push('server'));
  };

  it.each(['SIGTERM', 'SIGINT'])('closes what was opened, the last first, and ends with 0 on %s', async (signal) => {
    runProgram({ name: 'test', start: async (context) => open(context) }, host);
    host.emit(signal);
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [0]]);
  });

  it('closes what a start that fails had opened by then, and ends with 1', async () => {
    const start = async (context: ProgramContext) => {
      open(context);
      throw new Error('no');
    };
    runProgram({ name: 'test', start }, host);
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it.each(['unhandledRejection', 'uncaughtException'])('stops and ends with 1 on %s', async (event) => {
    runProgram({ name: 'test', start: async (context) => open(context) }, host);
    host.emit(event, new Error('lost'));
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it('ends with 1 when a part fails for good, once', async () => {
    const start = async ({ fail }: ProgramContext) => {
      fail(new Error('a stage is gone'));
      fail(new Error('another too'));
    };
    runProgram({ name: 'test', start }, host);
    await host.ended;
    expect(host.exitCodes).toEqual([1]);
  });

  it('closes the rest when a part does not close, and ends with 1', async () => {
    const start = async (context: ProgramContext) => {
      open(context);
      context.onStop(() => Promise.reject(new Error('stuck')));
    };
    runProgram({ name: 'test', start }, host);
    host.emit('SIGTERM');
    await host.ended;
    expect([closed, host.exitCodes]).toEqual([['server', 'store'], [1]]);
  });

  it('ends at once on a second signal, unless it is the first one passed on by a launcher, and after a limit when a part hangs', async () => {
    jest.useFakeTimers();
    try {
      runProgram({ name: 'test', start: async ({ onStop }) => onStop(() => new Promise(() => undefined)) }, host);
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

  it('does not start with a wrong configuration', () => {
    host.env = { HISTORY_GATEWAY__PORT: 'x' };
    let started = false;
    runProgram({ name: 'test', start: async () => void (started = true) }, host);
    expect([started, host.exitCodes]).toEqual([false, [1]]);
  });
});
