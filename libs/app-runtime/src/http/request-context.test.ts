import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { pino } from 'pino';
import { Registry } from '../metrics';
import { createHttpApp } from './http-app';
import { listen } from './listen';

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
});
