import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The version of this software; all packages of the workspace have the same version. */
export function readServiceVersion(): string {
  const file = readFileSync(path.join(__dirname, '../package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version;
}
