import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type CurlPath, provideCurl } from './curl';

/** With the stand-in, and with the installed program where there is one: both have to do the same. */
const KINDS = ['the stand-in', 'the installed one'] as const;

describe.each(KINDS)('curl, %s', (kind) => {
  let server: Server;
  let curl: CurlPath;
  let url: string;
  beforeAll(async () => {
    curl = kind === 'the stand-in' ? provideCurl(false) : provideCurl();
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method, headers } = request;
        const seen = { method, authorization: headers.authorization, body: Buffer.concat(parts).toString() };
        response.writeHead(request.url === '/refused' ? 403 : 200).end(JSON.stringify(seen));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    curl.remove();
  });

  const run = async (command: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: curl.path } });
    return JSON.parse(stdout);
  };

  it('posts data', async () => {
    expect(await run(`curl -s ${url}/path -d '{"a":1}'`)).toEqual({ method: 'POST', body: '{"a":1}' });
  });

  it('sends a user from its configuration, and a file', async () => {
    const command = `printf 'user = "me:secret"\\n' | curl --silent --show-error --fail --config - --request PUT '${url}'`;
    expect(await run(`${command} --header 'content-type: application/json' --data-binary '@/dev/null'`)).toEqual({
      method: 'PUT',
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
      body: '',
    });
  });

  it('fails when the server refuses and it is asked to', async () => {
    await expect(run(`curl -s -f ${url}/refused`)).rejects.toMatchObject({ code: 22 });
    expect(await run(`curl -s ${url}/refused`)).toMatchObject({ method: 'GET' });
    await expect(run('curl -s http://127.0.0.1:1/')).rejects.toMatchObject({ code: 7 });
  });
});
