import http from 'node:http';

/** Figures of one turn. */
export interface LoadFigures {
  /** Milliseconds of a request. */
  p50: number;
  p99: number;
  perSecond: number;
}

export interface LoadTurn {
  connections: number;
  seconds: number;
  /** Ends the turn earlier. */
  signal?: AbortSignal;
}

/** Sends requests for a time, `connections` at once, each as soon as the one before it has its response. */
export async function load(
  send: () => Promise<unknown>,
  { connections, seconds, signal }: LoadTurn,
): Promise<LoadFigures> {
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  const sendAll = async (): Promise<void> => {
    while (performance.now() < end && signal?.aborted !== true) {
      const sentAt = performance.now();
      await send();
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
  const elapsed = performance.now() - start;
  times.sort((left, right) => left - right);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), perSecond: (1000 * times.length) / elapsed };
}

/** A quantile of ascending values. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? NaN;
}

const agent = new http.Agent({ keepAlive: true });

/** Posts JSON over a connection that is kept; resolves with the text of the response. Rejects unless its status is 200. */
export function post(url: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method: 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${url} responds ${response.statusCode}: ${text}`));
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}
