import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Registry } from '../metrics';
import { ClientAddresses } from './client-address';
import { createHttpApp } from './http-app';
import { listen, type Listener } from './listen';

describe('the Host header', () => {
  let listener: Listener;
  beforeAll(async () => {
    const addresses = new ClientAddresses(['127.0.0.1']);
    const app = createHttpApp({
      name: 'test',
      log: pino({ level: 'silent' }),
      registry: new Registry(),
      routes: [
        {
          endpoint: 'address',
          path: '/address',
          method: 'GET',
          handlers: [(request, response) => void response.send(addresses.of(request))],
        },
      ],
    });
    listener = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => listener.close());

  function exchange(head: string): Promise<string> {
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(head, 'latin1');
    return text(socket);
  }

  it.each(['host: x\r\nhost: x', 'host: x\r\nHOST: y', 'host: x\r\nx-y: 1\r\nHost:'])(
    'refuses a request with two Host headers: %j',
    async (hosts) => {
      for (const version of ['1.1', '1.0']) {
        const head = `GET /live HTTP/${version}\r\n${hosts}\r\nconnection: close\r\n\r\n`;
        expect(await exchange(head)).toMatch(/^HTTP\/1\.1 400 [^]*send one Host header/);
      }
    },
  );

  it.each([
    'a b',
    'a, b',
    'a/b',
    'user@a',
    'a?b',
    'a#b',
    'http://a',
    'a:b',
    'a:1:2',
    'a\\b',
    '[::1',
    '[x',
    'caf\u00e9',
    '"a"',
    'a\tb',
    '<a>',
  ])('refuses a request with an invalid Host header: %j', async (host) => {
    for (const version of ['1.1', '1.0']) {
      const head = `GET /v1/nowhere HTTP/${version}\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
      expect(await exchange(head)).toMatch(/^HTTP\/1\.1 400 [^]*send a Host header of a host and a port/);
    }
  });

  it.each([
    '',
    'a',
    'a:',
    'A.example.:8888',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:8888',
    '[fe80::1%25eth0]:1',
    'my_host',
    'xn--caf-dma.example',
    '%61',
  ])('takes a valid Host header: %j', async (host) => {
    const head = `GET /v1/nowhere HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    expect(await exchange(head)).toMatch(/^HTTP\/1\.1 404 /);
  });

  /** node:http leaves out the headers after the 2,000th by default. */
  const MANY = 'a:\r\n'.repeat(2_500);

  it('is refused twice, and counts, after any number of headers', async () => {
    const tail = 'connection: close\r\n\r\n';
    expect(await exchange(`GET /address HTTP/1.1\r\nhost: x\r\n${MANY}host: y\r\n${tail}`)).toMatch(
      /^HTTP\/1\.1 400 [^]*send one Host header/,
    );
    expect(await exchange(`GET /address HTTP/1.1\r\n${MANY}host: x\r\n${tail}`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('leaves the header of a proxy in force, which comes after any number of those of its client', async () => {
    const head = `GET /address HTTP/1.1\r\nhost: x\r\n${MANY}x-forwarded-for: 203.0.113.7\r\nconnection: close\r\n\r\n`;
    expect(await exchange(head)).toMatch(/203\.0\.113\.7$/);
  });
});
