import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { ServiceThread } from './service-thread';
import { fromPostedError, toPostedError } from './thread-messages';

const config = loadConfig({});

describe('ServiceThread', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-threads-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts a thread that runs `code`, where `port` is its side of the channel. */
  function start(code: string, fail: (error: unknown) => void = () => undefined, results: unknown[] = []) {
    const file = path.join(folder, `${Math.random()}.cjs`);
    writeFileSync(file, `const { parentPort: port } = require('node:worker_threads');\n${code}`);
    const onResult = (result: unknown): void => void results.push(result);
    return ServiceThread.start<unknown, unknown>({ file, name: 'test', config, fail, onResult });
  }
  const READY = `port.postMessage({ kind: 'ready' });`;

  it('rejects with the error of a thread that cannot start, with its code', async () => {
    const error = toPostedError(new HistoryError('STORE_UNAVAILABLE', 'no store'));
    const starting = start(`port.postMessage({ kind: 'failed', error: ${JSON.stringify(error)} }); port.unref();`);
    await expect(starting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: 'no store' });
    await expect(start('throw new Error("wrong");')).rejects.toThrow('wrong');
    await expect(start('port.unref();')).rejects.toThrow('the test thread ended unexpectedly');
  });

  it('fails when the thread ends by itself, and has no metrics from then on', async () => {
    let failed: (error: unknown) => void = () => undefined;
    const failure = new Promise((resolve) => (failed = resolve));
    const thread = await start(`port.on('message', () => process.exit(1)); ${READY}`, (error) => failed(error));
    const asked = thread.metrics();
    await expect(failure).resolves.toMatchObject({ code: 'INTERNAL' });
    expect([await asked, await thread.metrics()]).toEqual([[], []]);
    await thread.stop();
  });

  it('passes tasks and results, and stops', async () => {
    const results: unknown[] = [];
    const thread = await start(
      `port.on('message', ({ kind, task }) => {
        if (kind === 'stop') port.close();
        else port.postMessage({ kind: 'result', result: task });
      });
      ${READY}`,
      fail,
      results,
    );
    const bytes = new Uint8Array([1, 2]);
    thread.send({ bytes }, [bytes.buffer]);
    await thread.stop();
    expect([results, bytes.length]).toEqual([[{ bytes: new Uint8Array([1, 2]) }], 0]);
  });
});

function fail(error: unknown): void {
  throw error as Error;
}

describe('a posted error', () => {
  it('keeps its code, its message and the stacks of its causes', () => {
    const cause = new TypeError('the cause');
    const posted = structuredClone(toPostedError(new HistoryError('BUSY', 'later', { cause })));
    const error = fromPostedError(posted);
    expect(error).toMatchObject({ code: 'BUSY', message: 'later', retryable: true });
    expect(error.stack).toContain('caused by: TypeError: the cause');
    expect(fromPostedError(toPostedError('text'))).toMatchObject({ message: 'text' });
    expect(fromPostedError(toPostedError(cause))).not.toBeInstanceOf(HistoryError);
  });
});
