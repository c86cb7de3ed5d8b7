import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CALLER_FOLDER, ROOT, runCommand } from './prepare.mjs';

/**
 * `npm run sbom -- [FILE]`: writes what the apps of a release are made of, as CycloneDX, from the lock file: every package
 * on every platform with its version, licence and hash. It asks no registry.
 */
await runCommand(([file]) => {
  const { name, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const target = path.resolve(CALLER_FOLDER, file ?? path.join(ROOT, `dist/${name}-${version}.cdx.json`));
  const sbom = readSbom();
  // npm names the folder that the project lies in.
  Object.assign(sbom.metadata.component, { name, type: 'application' });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(`${target}: ${sbom.components.length} components\n`);
});

function readSbom() {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-sbom-'));
  try {
    copyWithoutDevelopment(folder);
    return runSbom(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes the manifests and the lock file without their `devDependencies`. npm's own `--omit dev` would also leave out the packages
 * of the apps that any tool needs for its tests.
 */
function copyWithoutDevelopment(folder) {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  for (const entry of Object.values(lock.packages)) delete entry.devDependencies;
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  for (const project of Object.keys(lock.packages).filter((name) => !name.includes('node_modules/'))) {
    const manifest = JSON.parse(readFileSync(path.join(ROOT, project, 'package.json'), 'utf8'));
    delete manifest.devDependencies;
    mkdirSync(path.join(folder, project), { recursive: true });
    writeFileSync(path.join(folder, project, 'package.json'), JSON.stringify(manifest));
  }
}

function runSbom(folder) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const apps = readdirSync(path.join(ROOT, 'apps')).filter((app) =>
    existsSync(path.join(ROOT, 'apps', app, 'src/main.ts')),
  );
  const workspaces = apps.flatMap((app) => ['--workspace', `apps/${app}`]);
  const { error, status, stdout, stderr } = spawnSync('npm', [...args, ...workspaces], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
