import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { requireData } from '../src/require-data';
import { runMain } from './run-main';

describe('the data of npm start', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is named where the default directory has no data', () => {
    const { store } = loadConfig({}, { uses: ['store'] });
    const data = path.join(folder, 'leap-edge-1');
    for (const name of ['leap-edge-1', 'suite']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(data, 'data.mdb'), '');
    expect(() => requireData(store, folder)).toThrow(
      new RegExp(`HISTORY_STORE__LMDB__PATH=DIR .*has its data in ${data}$`),
    );
    expect(() => requireData(store, path.join(folder, 'nowhere'))).toThrow(/--config FILE$/);
    expect(() => requireData({ ...store, kind: 'elasticsearch' }, folder)).not.toThrow();
    expect(() => requireData({ ...store, lmdb: { ...store.lmdb, path: 'other' } }, folder)).not.toThrow();
  });

  it.each([['verify'], ['repair'], ['migrate'], ['backup', '--to', 'copy']])(
    '%s says how to name it',
    async (name, ...args) => {
      const { status, output } = await runMain(`${name}-main`, { HISTORY_STORE__LMDB__PATH: './data' }, args);
      expect([status, output]).toEqual([
        2,
        expect.stringMatching(/^CONFIG_INVALID: there is no data in \.\/data: .*\n$/),
      ]);
    },
  );
});
