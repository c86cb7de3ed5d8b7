import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { LargeResponses } from '@antelope-history/endpoint-kit';
import { ApiPool } from './api-pool';

const ENDS_AT_THE_FIRST_REQUEST = `
  const { parentPort: port } = require('node:worker_threads');
  port.on('message', ({ kind }) => kind === 'task' && process.exit(0));
  port.postMessage({ kind: 'ready' });
`;

describe('ApiPool', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-threads-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('rejects the requests of a thread that has ended, those that come later, too', async () => {
    const file = path.join(folder, 'thread.cjs');
    writeFileSync(file, ENDS_AT_THE_FIRST_REQUEST);
    let failed: (error: unknown) => void = () => undefined;
    const failure = new Promise((resolve) => (failed = resolve));
    const options = { file, count: 1, config: loadConfig({}), largeResponses: new LargeResponses() };
    const pool = await ApiPool.start({ ...options, fail: (error) => failed(error) });
    const respond = pool.responder('/path');
    const ask = () => respond({ bytes: Buffer.from('{}'), contentEncoding: undefined }, new AbortController().signal);
    await expect(ask()).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(failure).resolves.toMatchObject({ code: 'INTERNAL' });
    await expect(ask()).rejects.toMatchObject({ code: 'STOPPED' });
    await pool.stop();
  });
});
