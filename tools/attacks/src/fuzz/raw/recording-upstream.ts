import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { type SeenRequest, toSeenRequest } from './reference-parser';

/** A connection that breaks off in the middle of a request is no fault of who sent it: its client may have left. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'];

/** Stands where an API would: tells of every request, and answers what the request says. */
export class RecordingUpstream {
  private readonly server: Server;

  constructor(onRequest: (request: SeenRequest) => void, onFault: (fault: string) => void) {
    this.server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => answer(request, response, Buffer.concat(parts), onRequest));
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!BROKEN_OFF.includes(error.code ?? '')) onFault(`an upstream got what is not HTTP: ${error.code}`);
      socket.destroy();
    });
  }

  /** Listens on a free port; gives its address. */
  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function answer(
  message: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  onRequest: (request: SeenRequest) => void,
): void {
  const request = toSeenRequest(message, body);
  // The gateway asks for this itself, when it is asked for its own health.
  if (request.path !== '/health') onRequest(request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...request, body: request.body.slice(0, 1_000), length: body.length }));
}
