import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '@antelope-history/app-runtime';
import { STREAM } from '@antelope-history/routes';
import { closeAfterEach } from './close-after-each';
import { GatewayFixture } from './gateway-fixture';

/** Sockets have timers that Jest does not replace: a minute of silence becomes two seconds. */
function shortenMinutes(): void {
  const wait = Socket.prototype.setTimeout;
  jest.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, onTimeout) {
    return wait.call(this, ms === 60_000 ? 2_000 : ms, onTimeout);
  });
}

describe('a stream whose API falls silent without closing its connection', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  beforeEach(shortenMinutes);
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => fixture.close());

  const { servers, listeners } = closeAfterEach();

  /** A gateway before an API. */
  async function serve(api: Server): Promise<string> {
    servers.push(api.listen(0, '127.0.0.1'));
    await once(api, 'listening');
    const historyApiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const gateway = fixture.createGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: historyApiUrl } });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener.url + STREAM.path;
  }

  it('is cut, so that its client opens it at another API', async () => {
    const url = await serve(
      createServer((_request, response) => void response.writeHead(200).write('event: head\n\n')),
    );
    const response = await fetch(url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('is cut over WebSocket, too', async () => {
    const sockets = new WebSocketServer({ noServer: true });
    const api = createServer().on('upgrade', (request, socket: Socket, head) =>
      sockets.handleUpgrade(request, socket, head, () => undefined),
    );
    const client = new WebSocket((await serve(api)).replace('http', 'ws'));
    await once(client, 'open');
    expect((await once(client, 'close'))[0]).toBe(1006);
  });
});
