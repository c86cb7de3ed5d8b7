import { resultWithin } from '@antelope-history/app-runtime';

export interface Received {
  status: number;
  text: string;
}

/**
 * The response to a request; undefined when there is none within `limitMs`. The signal closes the connection, but is no limit by itself:
 * the promise of a body whose reading is aborted can stay pending for ever (https://github.com/nodejs/node/issues/56917).
 */
export function post(url: string, body: object, limitMs: number): Promise<Received | undefined> {
  return resultWithin(receive(url, body, limitMs), limitMs, undefined);
}

async function receive(url: string, body: object, limitMs: number): Promise<Received> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(limitMs),
  });
  return { status: response.status, text: await response.text() };
}
