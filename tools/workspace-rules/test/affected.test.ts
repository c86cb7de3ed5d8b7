import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { affectedBy, WORKSPACE_ROOT } from '../src';

/** Allows for other tests on the machine: a run takes one to two seconds of processor time. */
const LIMIT_MS = 120_000;

/** Like `affectedBy`, for files that exist: a renamed one would affect nothing. */
function affectedByExisting(files: string[]): string[] {
  expect(files.filter((file) => !existsSync(path.join(WORKSPACE_ROOT, file)))).toEqual([]);
  return affectedBy(files);
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
      const affected = affectedByExisting(filesOf('libs/history-endpoints/src'));
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
      const affected = affectedByExisting(filesOf('libs/history-routes/src'));
      const served = ['history-api', 'gateway', 'standalone'];
      expect(among(served, affected)).toEqual(served);
      expect(among(['chain-api', 'trace-api', 'reader', 'deserializer', 'indexer'], affected)).toEqual([]);
    },
    LIMIT_MS,
  );
});
