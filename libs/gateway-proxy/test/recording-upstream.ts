import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * An upstream that records every byte it receives, and parses them as a server does: a request is the
 * head and as many bytes as its content-length says. A response names the request line and the request id.
 */
export class RecordingUpstream {
  /** The received bytes of all connections, in the order of arrival. */
  bytes = '';
  connections = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly respond: (head: string) => string = nameRequest) {
    this.server = createServer((socket) => this.accept(socket));
  }

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let unread = '';
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.toString('latin1');
      unread += chunk.toString('latin1');
      for (let end = requestEnd(unread); end !== undefined; end = requestEnd(unread)) {
        socket.write(this.respond(unread.slice(0, end)));
        unread = unread.slice(end);
      }
    });
  }
}

/** The end of the first request in the text; undefined while it is incomplete. */
function requestEnd(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0;
  const end = headEnd + 4 + Number(length);
  return text.length >= end ? end : undefined;
}

function nameRequest(request: string): string {
  const [line = ''] = request.split('\r\n');
  const id = /\r\nx-request-id: *(.*)\r\n/i.exec(request)?.[1] ?? '';
  const body = line.startsWith('HEAD ') ? '' : JSON.stringify({ line, id });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
