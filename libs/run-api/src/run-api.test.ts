import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiDeps } from '@antelope-history/endpoint-kit';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { runApi } from './run-api';

describe('runApi', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-run-api-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs an API on free ports until `stop`; `exitCode` resolves when it would end the process. */
  function run() {
    const listeners = new Map<string, (value: unknown) => void>();
    let onApp: (deps: ApiDeps) => void;
    let onExit: (code: number) => void;
    const created = new Promise<ApiDeps>((resolve) => (onApp = resolve));
    const exitCode = new Promise<number>((resolve) => (onExit = resolve));
    const env = {
      HISTORY_STORE__PATH: folder,
      HISTORY_LOG_LEVEL: 'silent',
      HISTORY_CHAIN_API__PORT: '0',
      HISTORY_OPS__CHAIN_API_PORT: '0',
    };
    const createApp = (deps: ApiDeps) => {
      onApp(deps);
      return () => undefined;
    };
    runApi(
      { name: 'chain-api', section: 'chainApi', createApp },
      { argv: [], env, on: (event, listener) => listeners.set(event, listener), exit: (code) => onExit(code) },
    );
    return { created, exitCode, stop: () => listeners.get('SIGTERM')?.('SIGTERM') };
  }

  it('gives the group the read side of the store, and no cache of responses in memory', async () => {
    const writer = await openLmdbStoreWriter({ path: folder, mapSizeBytes: 0 });
    await writer.close();
    const { created, exitCode, stop } = run();
    const deps = await created;
    expect('writeBlocks' in deps.reader).toBe(false);
    expect((await deps.reader.getStatus()).committed).toBeUndefined();
    expect(deps.keyValue).toBeUndefined();
    stop();
    expect(await exitCode).toBe(0);
  });

  it('ends the process when the store cannot be opened', async () => {
    expect(await run().exitCode).toBe(1);
  });
});
