export interface FetchJsonLimits {
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Sends a POST without a body to a server that is not of this service, and reads its response as JSON. Follows no redirect.
 * Rejects when the server does not respond in time, with more bytes than the limit, or with something else than JSON.
 */
export async function fetchJson(url: string, { timeoutMs, maxBytes }: FetchJsonLimits): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', redirect: 'error', signal });
  return JSON.parse(await readText(response, maxBytes));
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (bytes > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`);
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString();
}
