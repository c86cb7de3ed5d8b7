import { createServer, get } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { clientSignal } from './client-signal';

describe('clientSignal', () => {
  it('is aborted from the start when the client left before it was asked for', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on(
      'error',
      () => undefined,
    );
    const [, response] = (await once(server, 'request')) as [unknown, Response];
    expect(clientSignal(response).aborted).toBe(false);
    request.destroy();
    await once(response, 'close');
    expect(clientSignal(response).aborted).toBe(true);
    server.close();
  });
});
