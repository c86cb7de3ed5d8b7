import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A response as the server sent it. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A TCP connection, for requests that no HTTP client sends. */
export async function openConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes and returns all responses until the connection closes; the request or the server must close it. */
export async function exchange(url: string, request: string): Promise<RawResponse[]> {
  const socket = await openConnection(url);
  socket.write(request);
  return parseResponses(await text(socket));
}

/** Splits a byte stream into responses that have a `content-length`. */
function parseResponses(stream: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = stream; rest !== '';) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`no response: ${rest.slice(0, 100)}`);
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(headEnd + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}
