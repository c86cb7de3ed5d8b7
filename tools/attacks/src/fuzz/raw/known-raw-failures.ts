import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawAttack } from './raw-attack';
import { type RawFailure, replayAttacks } from './run-raw-fuzz';
import type { CreateTarget } from './raw-stand';

/** Attacks that a run found a fault with; the tests make them again, for ever. */
const FILE = path.join(__dirname, '..', '..', '..', 'src', 'fuzz', 'raw', 'known-raw-failures.json');
/** A fault may need its moment. */
const TRIES = 2;
/** Making an attack smaller takes as many replays at most. */
const MAX_REPLAYS = 60;
/** Reasons that begin alike are of one kind. */
const KIND_LENGTH = 24;

export function readKnownRawFailures(): RawFailure[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as RawFailure[];
}

export function keepRawFailures(failures: RawFailure[]): void {
  writeFileSync(FILE, `${JSON.stringify([...readKnownRawFailures(), ...failures], null, 2)}\n`);
}

/** The same failure by as few attacks, pieces and splits as still make it; as it was when it does not come again. */
export async function minimise(failure: RawFailure, createTarget?: CreateTarget): Promise<RawFailure> {
  const kind = failure.reason.slice(0, KIND_LENGTH);
  let replays = 0;
  const fails = async (attacks: RawAttack[]): Promise<boolean> => {
    for (let attempt = 0; attempt < TRIES && replays < MAX_REPLAYS; attempt++, replays++) {
      if ((await replayAttacks(attacks, createTarget)).some((reason) => reason.includes(kind))) return true;
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

/** Without the one at a place; undefined where there is none, or no other. */
function dropAttacks(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  return at < attacks.length && attacks.length > 1 ? attacks.toSpliced(at, 1) : undefined;
}

function dropPieces(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  let before = 0;
  for (const [index, attack] of attacks.entries()) {
    const place = at - before;
    if (place < attack.pieces.length)
      return attacks.with(index, { ...attack, pieces: attack.pieces.toSpliced(place, 1) });
    before += attack.pieces.length;
  }
  return undefined;
}

function dropSplits(attacks: RawAttack[], at: number): RawAttack[] | undefined {
  const attack = attacks[at];
  return attack && attack.splits.length > 0 ? attacks.with(at, { ...attack, splits: [] }) : undefined;
}
