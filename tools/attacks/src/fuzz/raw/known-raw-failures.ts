import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawAttack } from './raw-attack';
import { type RawFailure, replayAttacks } from './run-raw-fuzz';
import type { OpenFixture } from './raw-fixture';

/** Attacks of earlier runs that revealed a fault. The tests repeat them. */
const FILE = path.join(__dirname, '..', '..', '..', 'src', 'fuzz', 'raw', 'known-raw-failures.json');
/** A fault may depend on timing, so each attempt is repeated. */
const TRIES = 2;
/** Largest number of replays to shrink an attack. */
const MAX_REPLAYS = 60;
/** Two failures are alike when this many characters of their reasons are equal. */
const ALIKE_LENGTH = 24;

export function readKnownRawFailures(): RawFailure[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as RawFailure[];
}

export function keepRawFailures(failures: RawFailure[]): void {
  writeFileSync(FILE, `${JSON.stringify([...readKnownRawFailures(), ...failures], null, 2)}\n`);
}

/** The failure with the fewest attacks, pieces and splits that still cause it; unchanged when it does not recur. */
export async function minimise(failure: RawFailure, openFixture?: OpenFixture): Promise<RawFailure> {
  const wanted = failure.reason.slice(0, ALIKE_LENGTH);
  let replays = 0;
  const fails = async (attacks: RawAttack[]): Promise<boolean> => {
    for (let attempt = 0; attempt < TRIES && replays < MAX_REPLAYS; attempt++, replays++) {
      if ((await replayAttacks(attacks, openFixture)).some((reason) => reason.includes(wanted))) return true;
    }
    return false;
  };
  let { attacks } = failure;
  if (!(await fails(attacks))) return failure;
  for (const smaller of [dropAttacks, dropPieces, dropSplits]) {
    for (let at = 0; ;) {
      const candidate = smaller(attacks, at);
      if (candidate === undefined) break;
      if (await fails(candidate)) attacks = candidate;
      else at++;
    }
  }
  return { ...failure, attacks };
}

/** The attacks without the piece or split at an index; undefined when there is none, or no other. */
function dropAttacks(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  return at < attacks.length && attacks.length > 1 ? attacks.toSpliced(at, 1) : undefined;
}

function dropPieces(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  let before = 0;
  for (const [index, attack] of attacks.entries()) {
    const piece = at - before;
    if (piece < attack.pieces.length)
      return attacks.with(index, { ...attack, pieces: attack.pieces.toSpliced(piece, 1) });
    before += attack.pieces.length;
  }
  return undefined;
}

function dropSplits(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  const attack = attacks[at];
  return attack && attack.splits.length > 0 ? attacks.with(at, { ...attack, splits: [] }) : undefined;
}
