import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `npx nx image APP`: builds the app's image and starts it once, to prove that every import of the entry is in it. Needs
 * Docker. The start needs no server: an invalid configuration value ends it before it connects.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const app = process.argv[2].split('/').at(-1);
const image = `antelope-history/${app}:${version}`;

const built = docker(['build', '--file', 'deploy/docker/Dockerfile', '--target', app, '--tag', image, '.'], 'inherit');
if (built.status !== 0) throw new Error(`docker build ended with ${built.status}`);

const tried = docker(['run', '--rm', '--read-only', '--env', 'HISTORY_GATEWAY__PORT=wrong', image], 'pipe');
if (tried.status !== 1 || !tried.stdout.includes('"code":"CONFIG_INVALID"')) {
  throw new Error(`${image} does not start (${tried.status}): ${tried.stdout}${tried.stderr}`);
}

function docker(args, output) {
  const result = spawnSync('docker', args, { cwd: ROOT, stdio: ['ignore', output, output], encoding: 'utf8' });
  if (result.error) throw result.error;
  return result;
}
