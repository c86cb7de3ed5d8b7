import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer as it stands on the wire. */
export interface RawAnswer {
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

/** Sends bytes and gives every answer up to the end of the connection, which the request or the server must ask for. */
export async function exchange(url: string, request: string): Promise<RawAnswer[]> {
  const socket = await openConnection(url);
  socket.write(request);
  return parseAnswers(await text(socket));
}

/** Takes answers with `content-length` apart. */
function parseAnswers(stream: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = stream; rest !== '';) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`no answer: ${rest.slice(0, 100)}`);
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(headEnd + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}
