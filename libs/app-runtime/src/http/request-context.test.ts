import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import type { RequestHandler } from 'express';
import { pino } from 'pino';
import { Registry } from '../metrics';
import { createHttpApp } from './http-app';
import { listen } from './listen';
import { countBegun } from './request-context';

describe('the metrics of requests', () => {
  it('count a request whose client leaves before the response begins as aborted', async () => {
    const registry = new Registry();
    const events = new EventEmitter();
    const app = createHttpApp({
      name: 'left',
      log: pino({ level: 'silent' }),
      registry,
      routes: [
        {
          endpoint: 'a',
          path: '/a',
          method: 'POST',
          handlers: [
            (_request, response) => {
              response.on('close', () => setImmediate(() => events.emit('left')));
              events.emit('entered');
            },
          ],
        },
      ],
    });
    const served = await listen(app, { host: '127.0.0.1', port: 0 });
    const [entered, left] = [once(events, 'entered'), once(events, 'left')];
    const client = net.connect(Number(new URL(served.url).port), '127.0.0.1');
    client.write('POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    await entered;
    client.destroy();
    await left;
    await served.close();
    const metrics = await registry.metrics();
    expect(metrics).toContain('http_requests_total{app="left",path="/a",status="aborted"} 1');
    expect(metrics).toContain('http_requests_total{app="left",path="/a",status="2xx"} 0');
  });

  it('count a response without an end once, when it begins', async () => {
    const registry = new Registry();
    const begin: RequestHandler = (_request, response) => {
      response.writeHead(200).write('event');
      countBegun(response);
    };
    const routes = [{ endpoint: 'a', path: '/a', method: 'GET' as const, handlers: [begin] }];
    const app = createHttpApp({ name: 'stream', log: pino({ level: 'silent' }), registry, routes });
    const served = await listen(app, { host: '127.0.0.1', port: 0 });
    const client = net.connect(Number(new URL(served.url).port), '127.0.0.1');
    client.write('GET /a HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(client, 'data');
    const lines = [
      'http_requests_in_flight{app="stream"} 0',
      'http_requests_total{app="stream",path="/a",status="2xx"} 1',
    ];
    const metrics = await registry.metrics();
    for (const line of [...lines, 'http_request_duration_seconds_count{app="stream",path="/a"} 1'])
      expect(metrics).toContain(line);
    client.destroy();
    await served.close();
    for (const line of lines) expect(await registry.metrics()).toContain(line);
  });
});
