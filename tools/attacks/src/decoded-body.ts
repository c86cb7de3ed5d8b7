import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The body of a response as text, after its content coding is removed. Rejects when the body is cut or not in that coding. */
export function decodedBody(response: IncomingMessage): Promise<string> {
  const decoder = createDecoder(response.headers['content-encoding']);
  if (decoder === undefined) return text(response);
  // The decoder reports every error of the response to its reader.
  return text(pipeline(response, decoder, () => undefined));
}

function createDecoder(coding: string | undefined) {
  if (coding === 'gzip') return createGunzip();
  if (coding === 'br') return createBrotliDecompress();
  return coding === 'deflate' ? createInflate() : undefined;
}
