import { GIVE_UP_SECONDS, KEPT_BYTES } from './limits';

/** One request with what came back. */
export interface Exchange {
  path: string;
  request: object;
  /** 0 when the connection ended, or nothing came for too long. */
  status: number;
  bytes: number;
  seconds: number;
  /** Undefined when it is longer than what is kept. */
  body: string | undefined;
}

/** Sends a request and reads the response to its end. */
export async function exchange(gateway: string, path: string, request: object): Promise<Exchange> {
  const begun = performance.now();
  const done = (status: number, bytes: number, body?: string): Exchange => {
    return { path, request, status, bytes, seconds: (performance.now() - begun) / 1000, body };
  };
  let status = 0;
  let bytes = 0;
  try {
    const response = await fetch(gateway + path, {
      method: 'POST',
      headers: { 'accept-encoding': 'identity' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(GIVE_UP_SECONDS * 1000),
    });
    status = response.status;
    const kept: Uint8Array[] = [];
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes <= KEPT_BYTES) kept.push(chunk);
    }
    return done(status, bytes, bytes <= KEPT_BYTES ? Buffer.concat(kept).toString('utf8') : undefined);
  } catch {
    return done(0, bytes);
  }
}
