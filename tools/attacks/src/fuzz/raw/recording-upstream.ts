import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { type SeenRequest, toSeenRequest } from './reference-parser';

/** Errors of a connection that ends within a request: the gateway's client may have disconnected. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'];

/** An upstream that replaces an API: it reports every request and responds with the contents of the request. */
export class RecordingUpstream {
  private readonly server: Server;

  constructor(onRequest: (request: SeenRequest) => void, onFault: (fault: string) => void) {
    this.server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => respond(request, response, Buffer.concat(chunks), onRequest));
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!BROKEN_OFF.includes(error.code ?? ''))
        onFault(`an upstream received bytes that are not HTTP: ${error.code}`);
      socket.destroy();
    });
  }

  /** Listens on a free port; resolves with its URL. */
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

function respond(
  message: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  onRequest: (request: SeenRequest) => void,
): void {
  const request = toSeenRequest(message, body);
  // The gateway requests this itself for its own /health.
  if (request.path !== '/health') onRequest(request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...request, body: request.body.slice(0, 1_000), length: body.length }));
}
