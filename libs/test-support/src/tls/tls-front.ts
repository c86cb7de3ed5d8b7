import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerCertificate } from './certificates';

export interface TlsFront {
  port: number;
  close(): Promise<void>;
}

/**
 * A TLS proxy before a node's state history socket, which also requires a user and a password when `access` (`user:password`)
 * is given. It listens on 127.0.0.1 and forwards websockets to a port there.
 */
export async function startTlsFront(
  target: number,
  certificate: ServerCertificate,
  access?: string,
): Promise<TlsFront> {
  const server = createServer({ cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    if (access !== undefined && request.headers.authorization !== basic(access)) client.end(UNAUTHORIZED);
    else sockets.add(passOn(request, client, target));
  });
  server.on('request', (_request, response) => response.writeHead(426).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const UNAUTHORIZED = 'HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic\r\nconnection: close\r\n\r\n';

function basic(access: string): string {
  return `Basic ${Buffer.from(access).toString('base64')}`;
}

function passOn({ url = '/', rawHeaders }: IncomingMessage, client: Duplex, target: number): Duplex {
  const upstream = connect(target, '127.0.0.1');
  upstream.on('error', () => client.destroy());
  upstream.on('close', () => client.destroy());
  client.on('close', () => upstream.destroy());
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  upstream.write(`GET ${url} HTTP/1.1\r\n${headers}\r\n`);
  upstream.pipe(client).pipe(upstream);
  return upstream;
}
