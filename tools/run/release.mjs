import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CALLER_FOLDER, prepare, PrepareError, ROOT, runCommand, UsageError } from './prepare.mjs';

/** What the commands of tools/cli and tools/processes start by path. */
const PROGRAMS = [
  'tools/cli/dist/check-config/main.js',
  'tools/cli/dist/dead-letters/main.js',
  'tools/cli/dist/main.js',
  'tools/processes/dist/follow-parent.js',
  'tools/quick-start/dist/main.js',
  'tools/quick-start/dist/suite/main.js',
  'tools/servers/dist/main.js',
  'tools/ship-replay/dist/main.js',
  'tools/store-maintenance/dist/backup-main.js',
  'tools/store-maintenance/dist/verify-main.js',
  'tools/store-maintenance/dist/migrate-main.js',
  'tools/store-maintenance/dist/repair-main.js',
  'tools/store-maintenance/dist/snapshot-main.js',
];
/** The sample chain is what `start` indexes without options. */
const FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'deploy/compose.services.yaml',
  'deploy/config',
  'deploy/helm',
  'deploy/systemd',
  'docs',
  'samples/leap-edge/accounts.json',
  'samples/leap-edge/messages.ship.gz',
  'samples/leap-edge/ship.abi.json',
];

const LAUNCHER = 'antelope-history';

/**
 * `npm run release -- [--out DIR] [--tag]`: makes the archive of a release for this platform: every app and command, compiled, with
 * the packages that they load. It needs Node.js and nothing else. `--tag` also sets the tag of the version on the commit, which has
 * to be clean and described in CHANGELOG.md.
 */
await runCommand(async (args) => {
  const { out, tag } = parseOptions(args);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  if (tag) requireReleasable(version);
  await prepare();
  const archive = await makeArchive(version, path.resolve(CALLER_FOLDER, out));
  process.stdout.write(`${archive}\n`);
  if (tag) git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
});

function launcher(engines) {
  const [major, minor] = engines.match(/\d+/g);
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  process.stderr.write(\`Node.js ${engines} is needed, this is \${process.versions.node}.\\n\`);
  process.exitCode = 1;
} else {
  require('./tools/cli/dist/main.js');
}
`;
}

function parseOptions(args) {
  const options = {
    out: { type: 'string', default: path.join(ROOT, 'dist/release') },
    tag: { type: 'boolean', default: false },
  };
  try {
    return parseArgs({ args, options }).values;
  } catch {
    throw new UsageError('The options are --out DIR and --tag.');
  }
}

/** Returns the path of the archive; beside it is the file with its SHA-256 digest. */
async function makeArchive(version, folder) {
  // The modules of the workspace are traced with its compiler, which `prepare` has installed.
  const { listApps, readProgramContents } = await import('../../deploy/docker/app-contents.mjs');
  const { copyContents } = await import('../../deploy/docker/copy-contents.mjs');
  const name = `antelope-history-${version}-${process.platform}-${process.arch}`;
  const work = mkdtempSync(path.join(tmpdir(), 'antelope-history-release-'));
  try {
    const target = path.join(work, name);
    const entries = [...listApps(ROOT).map((app) => `apps/${app}/dist/main.js`), ...PROGRAMS];
    copyContents(ROOT, readProgramContents(ROOT, entries), target);
    for (const file of FILES) cpSync(path.join(ROOT, file), path.join(target, file), { recursive: true });
    const { engines, license, description } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const manifest = { name: 'antelope-history', version, description, license, engines, bin: LAUNCHER };
    writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(path.join(target, LAUNCHER), launcher(engines.node));
    chmodSync(path.join(target, LAUNCHER), 0o755);
    return pack(work, name, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The same contents make the same archive: names are sorted, and times are those of the commit. */
function pack(work, name, folder) {
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, `${name}.tar.gz`);
  const time = git('log', '-1', '--format=%ct');
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  run('tar', [...same, '--use-compress-program=gzip -n', '-cf', archive, '-C', work, name]);
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(`${archive}.sha256`, `${digest}  ${path.basename(archive)}\n`);
  return archive;
}

function requireReleasable(version) {
  if (git('status', '--porcelain') !== '')
    throw new PrepareError('Commit or remove the changes of the work tree first.');
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (/^## Unreleased$/m.test(changelog)) {
    throw new PrepareError(`CHANGELOG.md has "Unreleased" changes: give them the name "## ${version}" and a date.`);
  }
  if (!new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(changelog)) {
    throw new PrepareError(`CHANGELOG.md has no section "## ${version}".`);
  }
  if (git('tag', '--list', `v${version}`) !== '') throw new PrepareError(`The tag v${version} exists already.`);
}

function git(...args) {
  return run('git', ['-C', ROOT, ...args]).trim();
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw new PrepareError(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new PrepareError(`${program} failed: ${stderr.trim()}`);
  return stdout;
}
