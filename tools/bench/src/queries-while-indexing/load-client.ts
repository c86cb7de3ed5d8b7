import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { LoadFigures } from '../load';
import type { LoadOrder } from './load-process';

/** Sends requests from a process of its own, from `begin` to `end`. */
export class LoadClient {
  private readonly failure: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.failure = once(child, 'exit').then(() => {
      throw new Error('the client process has ended: its error is above');
    });
    // `end` reports it; `stop` ends the process, too.
    this.failure.catch(() => undefined);
  }

  static start(): LoadClient {
    return new LoadClient(fork(path.join(__dirname, 'load-process.js')));
  }

  begin(url: string, body: object, connections: number): void {
    this.send({ kind: 'begin', url, body, connections });
  }

  /** Resolves with the figures since `begin`; rejects when the process has ended, as it does at a response with another status than 200. */
  async end(): Promise<LoadFigures> {
    const ended = once(this.child, 'message') as Promise<[LoadFigures]>;
    if (this.child.connected) this.send({ kind: 'end' });
    const [figures] = await Promise.race([ended, this.failure]);
    return figures;
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
  }

  private send(order: LoadOrder): void {
    this.child.send(order);
  }
}
