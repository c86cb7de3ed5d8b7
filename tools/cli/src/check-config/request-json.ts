import { ConnectionError, describeTrouble, toConnectionError, type ServerName } from '@antelope-history/connectivity';

export interface JsonResponse {
  status: number;
  /** The parsed body; undefined when it is not JSON or larger than `MAX_BODY_BYTES`. */
  body: unknown;
  /** The clock of the server in milliseconds since 1970, rounded to seconds; undefined without a `date` header. */
  date: number | undefined;
}

/** Above the size of every response of an app. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Sends a request without a body. Rejects with a `ConnectionError` that names the server. */
export async function requestJson(
  url: string,
  method: 'GET' | 'POST',
  server: ServerName,
  signal: AbortSignal,
): Promise<JsonResponse> {
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
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Uint8Array);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
