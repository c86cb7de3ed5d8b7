import type { Server, ServerResponse } from 'node:http';

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** Returns a function that aborts the signals of all responses of a server, which `stopSignal` returns. */
export function announceStop(server: Server): () => void {
  const stop = new AbortController();
  server.prependListener('request', (_request, response) => signals.set(response, stop.signal));
  return () => stop.abort();
}

/** A signal that aborts when the server begins to close: a response without an end has to end then. */
export function stopSignal(response: ServerResponse): AbortSignal {
  return signals.get(response) ?? new AbortController().signal;
}
