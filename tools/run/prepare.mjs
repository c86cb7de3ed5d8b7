import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Nothing here comes from a package: it runs before anything is installed. */

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** What a person can mend; shown without a stack. */
export class PrepareError extends Error {}

/** Installs the packages that are missing and builds what changed. */
export function prepare() {
  requireNode();
  installPackages();
  build();
}

/** As far as the servers for tests and development need it. */
export function prepareServices() {
  requireNode();
  installPackages();
  build(['tools/services/tsconfig.lib.json']);
}

/** Runs a Node.js script of the workspace to its end, on this terminal; gives its exit status. */
export function runNode(script, args, options = {}) {
  const { status, error } = spawnSync(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
  });
  if (error) throw error;
  return status ?? 1;
}

/** Runs a command of `tools/run`: whatever goes wrong ends as one line and exit status 1. */
export async function runCommand(command) {
  try {
    process.exitCode = (await command(process.argv.slice(2))) ?? process.exitCode;
  } catch (error) {
    process.stderr.write(`${error instanceof PrepareError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const { engines } = readJson('package.json');
  const [wantedMajor, wantedMinor] = engines.node.match(/\d+/g).map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new PrepareError(`Node.js ${engines.node} is needed, this is ${process.versions.node}.`);
}

export function installPackages() {
  if (!isInstallNeeded()) return;
  process.stdout.write('Installing packages (the first time: a minute or so) ...\n');
  // The npm that runs this script if there is one, so that one without a global npm works.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const { status } = spawnSync(command, [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: !npm && process.platform === 'win32',
  });
  if (status !== 0)
    throw new PrepareError(
      'npm ci failed: see its message above. It needs the package registry that npm is configured for.',
    );
}

/**
 * Whether a package of the lock file is not installed in its version. By content: the times of the files change with
 * every checkout. npm leaves its own account of what is installed in `node_modules/.package-lock.json`.
 */
function isInstallNeeded() {
  if (!existsSync(path.join(ROOT, 'node_modules/.package-lock.json'))) return true;
  const installed = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(readJson('package-lock.json').packages).some(
    ([location, wanted]) =>
      location.includes('node_modules/') &&
      !wanted.optional &&
      !wanted.devOptional &&
      installed[location]?.version !== wanted.version,
  );
}

/** Compiles some projects, or every one with its tests' types, as far as they changed. */
export function build(projects = []) {
  const options = process.stdout.isTTY ? ['--pretty'] : [];
  if (runNode('node_modules/typescript/bin/tsc', ['--build', ...projects, ...options]) !== 0) {
    throw new PrepareError('The build failed: see the messages of the compiler above.');
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
}
