import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GeneratedRequest } from './generated-requests';
import type { Failure } from './run-fuzz';

/** Requests that a run found a fault with; the tests send them again, for ever. */
const FILE = path.join(__dirname, '..', '..', 'src', 'fuzz', 'known-failures.json');

interface KnownFailure {
  path: string;
  headers: Record<string, string>;
  /** Base64. */
  body: string;
  reason: string;
}

export function readKnownFailures(): Failure[] {
  return readFile().map(({ path: at, headers, body, reason }) => {
    const request: GeneratedRequest = { path: at, headers, body: Buffer.from(body, 'base64') };
    return { request, reason };
  });
}

export function keepFailures(failures: Failure[]): void {
  const kept = [...readFile()];
  for (const { request, reason } of failures) {
    kept.push({ path: request.path, headers: request.headers, body: request.body.toString('base64'), reason });
  }
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

function readFile(): KnownFailure[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as KnownFailure[];
}
