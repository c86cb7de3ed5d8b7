import { ConnectionError, describeTrouble, toConnectionError, type ServerName } from '@antelope-history/connections';

export interface HttpAnswer {
  status: number;
  /** The body as JSON; undefined when it is none, or more than an answer of ours has. */
  body: unknown;
  /** The server's clock in milliseconds since 1970, to the second; undefined when it does not say. */
  date: number | undefined;
}

const MOST_BODY_BYTES = 1024 * 1024;

/** Asks a server. Rejects with a `ConnectionError` that names it. */
export async function askHttp(
  url: string,
  method: 'GET' | 'POST',
  server: ServerName,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, { method, signal, redirect: 'manual' });
    const body = await readJson(response);
    const date = Date.parse(response.headers.get('date') ?? '');
    return { status: response.status, body, date: Number.isNaN(date) ? undefined : date };
  } catch (error) {
    if (signal.aborted) throw new ConnectionError(describeTrouble('no_answer', server), 'UNAVAILABLE');
    throw toConnectionError(error, server, 'UNAVAILABLE');
  }
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk as Uint8Array);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
