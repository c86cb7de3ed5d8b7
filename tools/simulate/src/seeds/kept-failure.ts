import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SeedOutcome } from './seed-run';

/** Violations that are written whole; a broken store gives thousands. */
const MAX_WRITTEN = 50;

/** Keeps what a failed seed found, with the logs of its processes, in a folder of its own, which is returned. */
export function keepFailure(keepIn: string, outcome: SeedOutcome, logFolder: string): string {
  const folder = path.join(keepIn, `seed-${outcome.seed}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { seed, traits, retainBlocks, removedBlocks, faults, violations } = outcome;
  const kept = {
    seed,
    traits,
    retainBlocks,
    removedBlocks,
    faults: Object.fromEntries(faults),
    violations: violations.slice(0, MAX_WRITTEN),
  };
  writeFileSync(path.join(folder, 'outcome.json'), JSON.stringify(kept, null, 2));
  for (const name of readdirSync(logFolder)) {
    if (name.includes('.log')) cpSync(path.join(logFolder, name), path.join(folder, name));
  }
  return folder;
}
