import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, runCommand } from './prepare.mjs';

/**
 * `npm run sbom -- [FILE]`: writes what the apps of a release are made of, as CycloneDX, from the lock file: every package
 * on every platform with its version, licence and hash. npm adds the projects that the tests of the apps use. It asks no
 * registry.
 */
await runCommand(([file]) => {
  const { name, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const target = path.resolve(file ?? path.join(ROOT, `dist/${name}-${version}.cdx.json`));
  const sbom = readSbom();
  // npm names the folder that the project lies in.
  Object.assign(sbom.metadata.component, { name, type: 'application' });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(`${target}: ${sbom.components.length} components\n`);
});

function readSbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
  const apps = readdirSync(path.join(ROOT, 'apps')).filter((app) =>
    existsSync(path.join(ROOT, 'apps', app, 'src/main.ts')),
  );
  const workspaces = apps.flatMap((app) => ['--workspace', `apps/${app}`]);
  const { error, status, stdout, stderr } = spawnSync('npm', [...args, ...workspaces], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
