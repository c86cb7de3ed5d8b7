import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { SCOPE, WORKSPACE_ROOT } from '../src';

/** Allows for other tests on the machine: a run takes about five seconds of processor time. */
const LIMIT_MS = 120_000;

/** The projects that Nx rebuilds and retests after a change of the files. */
function affectedBy(files: string[]): string[] {
  expect(files.filter((file) => !existsSync(path.join(WORKSPACE_ROOT, file)))).toEqual([]);
  const nx = path.join(WORKSPACE_ROOT, 'node_modules/nx/dist/bin/nx.js');
  const args = ['show', 'projects', '--affected', `--files=${files.join(',')}`, '--json'];
  const output = execFileSync(process.execPath, [nx, ...args], {
    cwd: WORKSPACE_ROOT,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const names = JSON.parse(output.slice(output.indexOf('['))) as string[];
  return names.map((name) => name.slice(SCOPE.length));
}

const among = (names: string[], affected: string[]): string[] => names.filter((name) => affected.includes(name));

const filesOf = (folder: string): string[] =>
  readdirSync(path.join(WORKSPACE_ROOT, folder))
    .filter((name) => name.startsWith('get-actions'))
    .map((name) => `${folder}/${name}`);

describe('a change of get_actions', () => {
  it(
    'affects the API and the standalone app that serve it, and no other app',
    () => {
      const affected = affectedBy(filesOf('libs/history-endpoints/src'));
      expect(among(['history-api', 'standalone'], affected)).toEqual(['history-api', 'standalone']);
      const others = ['chain-api', 'trace-api', 'gateway', 'reader', 'deserializer', 'indexer'];
      expect(among(others, affected)).toEqual([]);
      const libs = ['chain-endpoints', 'trace-endpoints', 'endpoint-kit', 'responses', 'routes', 'store'];
      expect(among(libs, affected)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'affects the gateway, but no other API and no worker, when its definition changes',
    () => {
      const affected = affectedBy(filesOf('libs/history-routes/src'));
      const served = ['history-api', 'gateway', 'standalone'];
      expect(among(served, affected)).toEqual(served);
      expect(among(['chain-api', 'trace-api', 'reader', 'deserializer', 'indexer'], affected)).toEqual([]);
    },
    LIMIT_MS,
  );
});
