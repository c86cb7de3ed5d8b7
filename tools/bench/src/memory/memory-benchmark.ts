import { writeFileSync } from 'node:fs';
import { parseNumber } from '@antelope-history/processes';
import {
  holdServices,
  identify,
  type ProcessIdentity,
  releaseServices,
  SERVICE_NAMES,
} from '@antelope-history/servers';
import { BLOCKS, readOptions } from '../command-line';
import { memoryCases, runMemoryCase } from './memory-cases';
import { drawCurve, type MemoryCurve } from './memory-curve';

const USAGE = `npm run bench -- memory --out FILE [--case N] [--blocks N] [--deltas-mb N] [--away-seconds N]

Indexes made chains with every app as a process of its own, and measures the resident memory of each process: blocks of
1 KB, a first message with many deltas, a store that takes a tenth of what it could, and one that is away. Prints the
curves, and writes all samples to FILE as JSON. Ends with status 1 when a process takes more than deploy/compose.yaml
allows it.
`;
const MIB = 1024 * 1024;
/** `mem_limit` in deploy/compose.yaml. */
const WORKER_LIMIT = 2_048 * MIB;
const API_LIMIT = 1_024 * MIB;
const WORKERS = /^(reader|deserializer|indexer)/;
const CURVE_WIDTH = 60;
/** The deltas are one message, whose length SHiP gives in 32 bits. */
const DELTAS_MB = [1, 2_000] as const;
const AWAY_SECONDS = [1, 24 * 60 * 60] as const;

/** Resident memory of the processes of the distributed set. */
export async function benchMemory(args: string[]): Promise<void> {
  const options = {
    out: { type: 'string' },
    case: { type: 'string' },
    blocks: { type: 'string', default: '20000' },
    'deltas-mb': { type: 'string', default: '200' },
    'away-seconds': { type: 'string', default: '120' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['out'] });
  if (!values) return;
  const cases = memoryCases({
    blocks: parseNumber('blocks', values.blocks, BLOCKS),
    stateBytes: parseNumber('deltas-mb', values['deltas-mb'], DELTAS_MB) * 1_000_000,
    awaySeconds: parseNumber('away-seconds', values['away-seconds'], AWAY_SECONDS),
  });
  const only = values.case === undefined ? undefined : parseNumber('case', values.case, [1, cases.length]);
  const holder = identify(process.pid) as ProcessIdentity;
  const services = await holdServices(SERVICE_NAMES, holder, print);
  const curves: Record<string, MemoryCurve> = {};
  try {
    for (const [index, each] of cases.entries()) {
      if (only !== undefined && only !== index + 1) continue;
      const curve = await runMemoryCase(each, services);
      curves[each.name] = curve;
      writeFileSync(values.out, JSON.stringify(curves));
      printCurve(each.name, curve);
    }
  } finally {
    await releaseServices(holder);
  }
}

function printCurve(name: string, { seconds, processes }: MemoryCurve): void {
  print(`\n${name}: ${(seconds.at(-1) ?? 0).toFixed(0)} s; at most, of the limit, and the curve up to the limit`);
  for (const [app, values] of Object.entries(processes)) {
    const limit = WORKERS.test(app) ? WORKER_LIMIT : API_LIMIT;
    const most = Math.max(...values);
    const share = `${((100 * most) / limit).toFixed(0)} %`;
    print(`  ${app.padEnd(13)} ${mebibytes(most)} ${share.padStart(5)}  |${drawCurve(values, limit, CURVE_WIDTH)}|`);
    if (most > limit) {
      print(`  ${app} took more than ${mebibytes(limit)}`);
      process.exitCode = 1;
    }
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`.padStart(9);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
