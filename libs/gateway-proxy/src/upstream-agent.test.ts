import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer, request as httpsRequest } from 'node:https';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { makeCertificates } from '@antelope-history/test-support/tls';
import { createUpstreamAgent } from './upstream-agent';
import { Upstreams } from './upstreams';

describe('an agent for several servers', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listenOn(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('distinguishes servers that have the same port', async () => {
    const port = await listenOn(createServer((_request, response) => void response.end('{}')));
    const upstreams = new Upstreams([`http://127.0.0.1:${port}`, `http://localhost:${port}`], () => 0);
    const connected = jest.spyOn(upstreams, 'setAvailable');
    const agent = createUpstreamAgent(upstreams, () => undefined);
    for (const host of ['localhost', '127.0.0.1']) {
      const [response] = (await once(get({ host, port, agent }), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }
    expect(connected.mock.calls).toEqual([[`http://localhost:${port}`], [`http://127.0.0.1:${port}`]]);
    agent.destroy();
  });

  it('gives a server up that accepts a connection and begins no TLS, and keeps nothing of it', async () => {
    const certificates = await makeCertificates();
    const { cert, key } = certificates.valid;
    const sockets: Socket[] = [];
    const silent = await listenOn(createTcpServer((socket) => void sockets.push(socket.on('error', () => undefined))));
    const answer = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) =>
      response.setHeader('connection', 'close').end('{}'),
    );
    const urls = [silent, await listenOn(answer)].map((port) => `https://127.0.0.1:${port}`);
    const ca = readFileSync(certificates.ca);
    certificates.remove();
    const failed: string[] = [];
    const agent = createUpstreamAgent(new Upstreams(urls, () => 0), (url) => failed.push(url));
    const sent = httpsRequest({ host: '127.0.0.1', port: silent, agent, ca }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    expect([response.statusCode, failed]).toEqual([200, urls.slice(0, 1)]);
    const [socket] = sockets;
    if (socket && !socket.closed) await once(socket.resume(), 'close');
    agent.destroy();
  });
});
