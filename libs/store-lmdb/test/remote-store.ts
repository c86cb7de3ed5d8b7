import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HistoryStore } from '@antelope-history/store/contract';
import type { LmdbReaderOptions } from '../src/reader';
import type { LmdbWriterOptions } from '../src/writer';

const PROJECT = path.join(__dirname, '..');
const SCRIPT = path.join(__dirname, 'store-process.cjs');

/** Builds the code that other processes run. */
export function buildStore(): void {
  execFileSync(process.execPath, [
    require.resolve('typescript/bin/tsc'),
    '--build',
    path.join(PROJECT, 'tsconfig.lib.json'),
  ]);
}

interface Response {
  id: number;
  result?: unknown;
  error?: { code: string };
}

type Method = Exclude<keyof HistoryStore, 'getAbis' | 'close'>;

/** A store that another process or thread has open. */
export class RemoteStore {
  private readonly waiting = new Map<number, { resolve(result: never): void; reject(error: unknown): void }>();
  private calls = 0;
  private gone = false;

  private constructor(
    private readonly post: (message: object) => void,
    /** Ends the process or thread at once, as SIGKILL does. */
    readonly kill: () => Promise<void>,
  ) {}

  /** In a process of its own. `fileBlocks`: the most that a file may grow to, in blocks of the shell's `ulimit -f`. */
  static inProcess(fileBlocks: number | 'unlimited' = 'unlimited'): RemoteStore {
    const command = `ulimit -f ${fileBlocks} && exec "$0" "$@"`;
    const child = spawn('sh', ['-c', command, process.execPath, SCRIPT], {
      stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    const remote = new RemoteStore(
      // A message that a dying process no longer takes is rejected when it exits.
      (message) => child.send(message, () => undefined),
      () => {
        child.kill('SIGKILL');
        return gone;
      },
    );
    child.on('message', (response: Response) => remote.onResponse(response));
    void gone.then(() => remote.onGone());
    return remote;
  }

  /** In a thread of this process. */
  static inThread(): RemoteStore {
    const worker = new Worker(SCRIPT);
    const remote = new RemoteStore(
      (message) => worker.postMessage(message),
      async () => {
        await worker.terminate();
      },
    );
    worker.on('message', (response: Response) => remote.onResponse(response));
    worker.once('exit', () => remote.onGone());
    return remote;
  }

  openReader(options: LmdbReaderOptions): Promise<void> {
    return this.ask('openReader', [options]);
  }

  /** Opens both sides. */
  openWriter(options: LmdbWriterOptions): Promise<void> {
    return this.ask('openWriter', [options]);
  }

  call<M extends Method>(method: M, ...args: Parameters<HistoryStore[M]>): ReturnType<HistoryStore[M]> {
    return this.ask(method, args) as ReturnType<HistoryStore[M]>;
  }

  private ask<T>(method: string, args: unknown[]): Promise<T> {
    if (this.gone) return Promise.reject(new Error('it is gone'));
    const id = this.calls++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post({ id, method, args });
    });
  }

  private onResponse({ id, result, error }: Response): void {
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) call?.reject(error);
    else call?.resolve(result as never);
  }

  private onGone(): void {
    this.gone = true;
    for (const { reject } of this.waiting.values()) reject(new Error('it is gone'));
    this.waiting.clear();
  }
}
