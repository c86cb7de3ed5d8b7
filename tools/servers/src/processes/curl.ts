import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from './command';

/** Not compiled: the same file serves the sources and `dist`. */
const STAND_IN = path.resolve(__dirname, '../../src/processes/curl-stand-in.cjs');

/** A value of `PATH` with which shell commands find curl. */
export interface CurlPath {
  path: string;
  remove(): void;
}

/** The present `PATH` where curl is installed; elsewhere one with a stand-in of this repository in front. */
export function provideCurl(isInstalled = findProgram('curl') !== undefined): CurlPath {
  const present = process.env['PATH'] ?? '';
  if (isInstalled) return { path: present, remove: () => undefined };
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-curl-'));
  const program = path.join(folder, 'curl');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' "$@"\n`);
  chmodSync(program, 0o755);
  return { path: `${folder}${path.delimiter}${present}`, remove: () => rmSync(folder, { recursive: true }) };
}
