import { findProgram, runCommand } from '../processes/command';

const LIMIT_MS = 600_000;

/** Installs a package of Debian or Ubuntu; rejects where that is not possible. */
export async function installPackage(name: string): Promise<void> {
  if (!findProgram('apt-get') || process.getuid?.() !== 0) throw new Error(`install ${name}, or Docker`);
  const options = { limitMs: LIMIT_MS, environment: { DEBIAN_FRONTEND: 'noninteractive' } };
  await runCommand(['apt-get', 'update', '-q'], options);
  await runCommand(['apt-get', 'install', '-q', '-y', '--no-install-recommends', name], options);
}
