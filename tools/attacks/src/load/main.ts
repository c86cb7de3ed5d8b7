#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { parseNumber, parseOptions, runCommand } from '@antelope-history/processes';
import { SEEDS } from '../seeds';
import { tableLines } from './figures';
import { type LoadFigures, runLoad } from './run-load';

const USAGE = `npm run load -- [--connections N] [--seconds N] [--seed N] [--memory MIB]

Starts the service over the sample leap-edge and connects honest, slow, silent, huge, pipelining, non-reading and
reconnecting clients from several loopback addresses. The run fails when a response to an honest client is missing or
differs from the response without other clients, when /live fails, or when the service exceeds the memory limit. Responses
with the status 429 or 503 to honest clients are counted as refused and do not fail the run.
`;
const MIB = 1024 * 1024;
const MAX_MEMORY_MIB = 1024 * 1024;
const MAX_CONNECTIONS = 50_000;
const MAX_SECONDS = 7 * 24 * 60 * 60;

async function run(args: string[]): Promise<void> {
  const options = {
    connections: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    memory: { type: 'string', default: '1024' },
    help: { type: 'boolean' },
  } as const;
  const values = parseOptions('npm run load', () => parseArgs({ args, options }));
  if (values.help) {
    print(USAGE.trimEnd());
    return;
  }
  const memory = parseNumber('memory', values.memory, [1, MAX_MEMORY_MIB]);
  const load = {
    connections: parseNumber('connections', values.connections, [1, MAX_CONNECTIONS]),
    seconds: parseNumber('seconds', values.seconds, [1, MAX_SECONDS]),
    seed: parseNumber('seed', values.seed, SEEDS),
    memoryLimitBytes: memory * MIB,
  };
  print(`seed ${load.seed}, ${load.connections} connections, ${load.seconds} s, at most ${memory} MiB`);
  const figures = await runLoad(load);
  report(figures);
  if (figures.faults.length > 0) process.exitCode = 1;
}

function report({ clients, responses, watch, faults }: LoadFigures): void {
  const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  tableLines(clients).forEach(print);
  print(`honest mismatches: ${responses.mismatches}`);
  responses.shown.forEach(print);
  print(`MiB every 10 s: ${watch.memory.map(mib).join(' ')}; peak ${mib(watch.peakMemory)}`);
  print(
    `slowest /live: operations listener ${ms(watch.operationsLive.slowest)}, gateway ${ms(watch.publicLive.slowest)}`,
  );
  print(`longest the clients' own event loop was held: ${ms(watch.ownDelay.max / 1e6)}`);
  print(faults.length === 0 ? 'held' : `failed: ${faults.join('; ')}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

runCommand('npm run load', run);
