import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Imports only what Node.js brings along: this code runs before any package is installed. A Node.js that is too old has to get as
 * far as `requireNode`, so nothing newer than Node.js 18 is used here.
 */

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Where npm was called, which runs scripts in the root of the workspace: the paths of a command line are relative to it. */
export const CALLER_FOLDER = process.env.INIT_CWD ?? process.cwd();

/**
 * What prepares a command prints on standard error, also the output of npm and of the compiler: what the command prints can go to
 * another program.
 */
const ON_STANDARD_ERROR = ['ignore', process.stderr.fd, 'inherit'];

/** An error that the user can fix; shown without its stack. */
export class PrepareError extends Error {}

/** A wrong command line: status 2, as `tools/processes/src/command-line.ts` has it for the programs. */
export class UsageError extends PrepareError {}

const PARENT_CHECK_MS = 500;

/**
 * Ends this process as SIGTERM does when npm or npx has ended without passing the signal on: a signal reaches npm, and the shell
 * between npm and this process, but not always this process.
 */
export function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  watch.unref();
}

/** Installs missing packages and compiles what changed: all projects, or only the ones named. */
export async function prepare(projects = []) {
  requireNode();
  installPackages();
  await build(projects);
}

/** Runs a Node.js script of the workspace on this terminal and waits for its end; returns its exit status. */
export function runNode(script, args, options = {}) {
  const { status, error } = spawnSync(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
  });
  if (error) throw error;
  return status ?? 1;
}

/**
 * The same without blocking this process; a script that a signal ended has status 1. A signal that would end this process ends the
 * script first, and then rejects with a PrepareError.
 */
export function startNode(script, args, options = {}) {
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
  });
  let endedBy;
  const passOn = (signal) => {
    endedBy = signal;
    child.kill(signal);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status) => {
      for (const signal of ENDING_SIGNALS) process.off(signal, passOn);
      if (endedBy === undefined) resolve(status ?? 1);
      else reject(new PrepareError(`Ended by ${endedBy}.`));
    });
  });
}

/** Runs a command of `tools/run`; a PrepareError ends it with one line and exit status 1, or 2 when it is a UsageError. */
export async function runCommand(command) {
  process.argv = process.argv.map(expandHome);
  try {
    process.exitCode = (await command(process.argv.slice(2))) ?? process.exitCode;
  } catch (error) {
    process.stderr.write(`${error instanceof PrepareError ? error.message : error.stack}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** `--data=~/x` means what `--data ~/x` does, of which the shell makes the path. */
function expandHome(argument) {
  return argument.replace(/^(--[a-z-]+=)~(?=\/|$)/, (_, option) => option + homedir());
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
  process.stderr.write('Installing packages (the first time: a minute or so) ...\n');
  // `npm run` names the npm that runs this script, which need not be on PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const { status } = spawnSync(command, [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ON_STANDARD_ERROR,
    shell: !npm && process.platform === 'win32',
  });
  if (status !== 0)
    throw new PrepareError(
      'npm ci failed: see its message above. It needs the package registry that npm is configured for.',
    );
}

/**
 * Whether a package of the lock file is missing or installed in another version. Compares contents, because a checkout
 * changes the times of files. npm lists what it installed in `node_modules/.package-lock.json`.
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

/** Compiles the projects, or all of them with the types of their tests, as far as they changed. Says so when it takes long. */
export async function build(projects = []) {
  const notice = setTimeout(() => process.stderr.write('Compiling (the first time: a minute or two) ...\n'), NOTICE_MS);
  try {
    if ((await startNode(TSC, compilerArguments(projects), { stdio: ON_STANDARD_ERROR })) !== 0) {
      throw new PrepareError('The build failed: see the messages of the compiler above.');
    }
  } finally {
    clearTimeout(notice);
  }
}

const TSC = 'node_modules/typescript/bin/tsc';
/** A build that has nothing to compile takes less. */
const NOTICE_MS = 3_000;

function compilerArguments(projects) {
  return ['--build', ...projects, ...(process.stderr.isTTY ? ['--pretty'] : [])];
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
}
