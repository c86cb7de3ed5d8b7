import { createRandom, mutate, type Random } from '@antelope-history/test-support/random';
import { generateRawRequest } from './raw-request';

/** The bytes and the behaviour of an attacker on one connection to the gateway's port. */
export interface RawAttack {
  /** Bytes as latin1 text. Each piece was generated as one request, but need not be a valid one. */
  pieces: string[];
  /** Offsets at which the bytes are split; the sections are sent one by one, with pauses. */
  splits: { at: number; pauseMs: number }[];
  /** `finish` half-closes the connection and waits for responses; `leave` destroys it. */
  end: 'finish' | 'leave';
}

const MAX_PIECES = 6;
const MANY_PIECES = 60;
const MAX_SPLITS = 5;

/** The attack of a round. It depends only on the seed and the round. */
export function generateRawAttack(seed: number, round: number): RawAttack {
  const random = createRandom(seed + Math.imul(round, 0x9e3779b1));
  const count = random(40) === 0 ? MANY_PIECES : 1 + random(MAX_PIECES);
  // Bytes that are not HTTP end a connection, so that later requests are never read: half of the attacks have one odd request.
  const odd = random(2) === 0 ? random(count) : -1;
  const pieces = Array.from({ length: count }, (_, index) => makePiece(`${round}-${index}`, index === odd, random));
  return spread(pieces, random);
}

function makePiece(marker: string, odd: boolean, random: Random): string {
  const request = generateRawRequest(marker, odd, random);
  const choice = odd ? random(6) : -1;
  if (choice === 0) return mutate([Buffer.from(request, 'latin1')], random).toString('latin1');
  return choice === 1 ? request.slice(0, random(request.length)) : request;
}

function spread(pieces: string[], random: Random): RawAttack {
  const { length } = bytesOf({ pieces });
  const splits = Array.from({ length: random(MAX_SPLITS + 1) }, () => ({
    at: random(length + 1),
    pauseMs: random(8) === 0 ? random(4) : 0,
  }));
  splits.sort((left, right) => left.at - right.at);
  return { pieces, splits, end: random(6) === 0 ? 'leave' : 'finish' };
}

export function bytesOf({ pieces }: Pick<RawAttack, 'pieces'>): Buffer {
  return Buffer.from(pieces.join(''), 'latin1');
}
