import { load, type LoadFigures, post } from '../load';

/** What the benchmark asks of its client process: to begin a load, or to end it and report its figures. */
export type LoadOrder = { kind: 'begin'; url: string; body: object; connections: number } | { kind: 'end' };

let ending = new AbortController();
let running: Promise<LoadFigures> | undefined;

/**
 * A client in a process of its own, because the benchmark's process serves the chain meanwhile. It ends when its channel closes, as
 * it does when the benchmark ends, and at a response whose status is not 200.
 */
process.on('message', (order: LoadOrder) => {
  if (order.kind === 'end') {
    ending.abort();
    void running?.then((figures) => process.send?.(figures));
    return;
  }
  const { url, body, connections } = order;
  ending = new AbortController();
  running = load(() => post(url, body), { connections, seconds: Infinity, signal: ending.signal });
});
