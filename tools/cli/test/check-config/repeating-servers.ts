import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Servers that reject every client and include everything that they received in the rejection, with decoded passwords. */
export interface RepeatingServers {
  ports: Record<'ship' | 'elasticsearch' | 'rabbitmq' | 'redis', number>;
  close(): Promise<void>;
}

export async function startRepeatingServers(): Promise<RepeatingServers> {
  const servers = { ship: httpServer(), elasticsearch: httpServer(), rabbitmq: amqpServer(), redis: redisServer() };
  const ports = { ship: 0, elasticsearch: 0, rabbitmq: 0, redis: 0 };
  const sockets = new Set<Socket>();
  for (const name of Object.keys(servers) as (keyof typeof servers)[]) {
    servers[name].on('connection', (socket: Socket) => {
      sockets.add(socket.on('error', () => undefined));
    });
    servers[name].listen(0, '127.0.0.1');
    await once(servers[name], 'listening');
    ports[name] = (servers[name].address() as AddressInfo).port;
  }
  return {
    ports,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(Object.values(servers).map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Acts as Elasticsearch, and as the proxy in front of a node. */
function httpServer(): Server {
  const refusalOf = ({ headers, url }: IncomingMessage): string => {
    const access = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
    const reason = `refused ${access} (${headers.authorization ?? ''}) at ${url ?? ''}`;
    return JSON.stringify({ error: { type: 'security_exception', reason, root_cause: [{ reason }] }, status: 401 });
  };
  const server = createHttpServer((request, response) => {
    const headers = { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/json' };
    response.writeHead(401, headers).end(refusalOf(request));
  });
  server.on('upgrade', (request, socket) => {
    socket.end(`HTTP/1.1 401 ${encodeURI(refusalOf(request))}\r\nconnection: close\r\n\r\n${refusalOf(request)}`);
  });
  return server;
}

function redisServer(): Server {
  return createServer((socket) => {
    socket.on('data', (data) => {
      socket.write(`-ERR unknown command, with args beginning with: ${data.toString().replaceAll(/\s+/g, ' ')}\r\n`);
    });
  });
}

const START = { method: 10, fields: [Buffer.from([0, 9]), Buffer.alloc(4), longString('PLAIN'), longString('en_US')] };

/** Requests the credentials, and closes the connection with them in the reason. */
function amqpServer(): Server {
  return createServer((socket) => {
    socket.once('data', () => {
      socket.write(frame(START.method, START.fields));
      socket.once('data', (startOk: Buffer) => {
        const received = startOk.toString('latin1').replaceAll(/[^\x20-\xff]/g, ' ');
        // A reply text has at most 255 bytes; the user and the password are at the end.
        const text = Buffer.from(`ACCESS_REFUSED - ${received.slice(-230)}`, 'latin1');
        const refused = Buffer.from([403 >> 8, 403 & 0xff, text.length, ...text, 0, 0, 0, 0]);
        socket.write(frame(50, [refused]));
      });
    });
  });
}

/** A method of the class `connection`, on channel 0. */
function frame(method: number, fields: Buffer[]): Buffer {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, method]), ...fields]);
  const header = Buffer.from([1, 0, 0, 0, 0, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([header, payload, Buffer.from([0xce])]);
}

function longString(text: string): Buffer {
  return Buffer.from([0, 0, 0, text.length, ...Buffer.from(text)]);
}
