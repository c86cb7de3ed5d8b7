#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseChoice, parseOptions, runCommand } from '@antelope-history/processes';
import { AttackRun } from './attack-run';
import { ATTACKS, ATTACKS_BY_HAND } from './attacks/all-attacks';
import type { Attack } from './attacks/attack';
import { chooseAttacks, generateHostileChain } from './generate';
import { HOSTILE_SAMPLE } from './hostile-sample';
import { HostileService } from './hostile-service';
import { writeRecording } from './recording-writer';
import { excesses, renderHead, renderRow } from './table';

const listNames = (attacks: readonly Attack[]): string => attacks.map(({ name }) => name).join(', ');

const USAGE = `npm run hostile -- [--attack NAME]... [--first] [--write]

Generates a chain with hostile contracts, replays it to the service, and requests all of its data from every endpoint.
Prints a table of status, bytes, seconds, the longest /live response time and the peak resident memory. Exits with status 1
when a limit of tools/attacks/src/hostile-chain/limits.ts is exceeded. --first requests only the first page of each list
and the first transactions. --write writes the recording to samples/hostile and sends no requests.

Attacks: ${listNames(ATTACKS)}
Attacks that are too large for the sample and run only when named: ${listNames(ATTACKS_BY_HAND)}
`;

const ATTACK_NAMES = [...ATTACKS, ...ATTACKS_BY_HAND].map(({ name }) => name);

/** The attacks that run only by hand have blocks above the default of 64 MiB, which the service would refuse. */
const LARGE_MESSAGES = { HISTORY_SHIP__MAX_MESSAGE_BYTES: String(1024 ** 3) };

async function run(args: string[]): Promise<void> {
  const options = {
    attack: { type: 'string', multiple: true },
    first: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const values = parseOptions('npm run hostile', () => parseArgs({ args, options }));
  if (values.help) process.stdout.write(USAGE);
  else if (values.write) writeSample();
  else await tryAttacks(values.attack, values.first === true);
}

function writeSample(): void {
  const chain = generateHostileChain();
  const { bytes, compressed } = writeRecording(HOSTILE_SAMPLE, chain.abi, chain.messages);
  process.stdout.write(
    `${HOSTILE_SAMPLE}: ${chain.messages.length} messages, ${bytes} bytes, ${compressed} compressed\n`,
  );
}

async function tryAttacks(names: string[] | undefined, onlyFirst: boolean): Promise<void> {
  for (const name of names ?? []) parseChoice('attack', name, ATTACK_NAMES);
  const attacks = chooseAttacks(names);
  const chain = generateHostileChain(attacks);
  const folder = mkdtempSync(path.join(tmpdir(), 'hostile-recording-'));
  writeRecording(folder, chain.abi, chain.messages);
  const begun = performance.now();
  const isByHand = attacks.some((attack) => ATTACKS_BY_HAND.includes(attack));
  const service = await HostileService.start(folder, chain.head.num, isByHand ? LARGE_MESSAGES : {});
  try {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const mib = Math.round(service.peakMemory / 1024 / 1024);
    process.stdout.write(`${chain.messages.length} blocks indexed in ${seconds} s, peak ${mib} MiB\n\n${renderHead()}`);
    const attackRun = new AttackRun(service, chain.written, onlyFirst ? 'first' : 'all');
    for (const attack of attacks) {
      for await (const outcome of attackRun.run(attack)) {
        if (outcome.count > 0) process.stdout.write(renderRow(outcome));
        if (excesses(outcome, 1).length > 0) process.exitCode = 1;
      }
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

runCommand('npm run hostile', run);
