import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { SCOPE, WORKSPACE_ROOT } from './projects';

/** The script of the command `nx`, of the workspace's packages. */
export const NX_SCRIPT = path.join(WORKSPACE_ROOT, 'node_modules/nx/dist/bin/nx.js');

/**
 * Lets a command leave no daemon behind and run its plugins itself: Nx otherwise starts six processes for them, which take as much
 * processor time as the command.
 */
export const NX_ENVIRONMENT = { NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false' };

/** Names, without the scope, of the projects that a change of the files affects. `files`: paths relative to the root. */
export function affectedBy(files: readonly string[]): string[] {
  const args = ['show', 'projects', '--affected', `--files=${files.join(',')}`, '--json'];
  const output = execFileSync(process.execPath, [NX_SCRIPT, ...args], {
    cwd: WORKSPACE_ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...NX_ENVIRONMENT },
    // What Nx says of a failure becomes part of the error.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const names = JSON.parse(output.slice(output.indexOf('['))) as string[];
  return names.map((name) => name.slice(SCOPE.length));
}
