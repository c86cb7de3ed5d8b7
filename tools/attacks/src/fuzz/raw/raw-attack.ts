import { createRandom, mutate, type Random } from '@antelope-history/test-support/random';
import { generateRawRequest } from './raw-request';

/** What a client does to the gateway's port on one connection. */
export interface RawAttack {
  /** Bytes, as latin1 text; each is what was made as one request, but need not be one. */
  pieces: string[];
  /** Where the bytes are split, each part sent on its own after a pause. */
  splits: { at: number; pauseMs: number }[];
  /** `finish` ends the sending and waits for what comes; `leave` destroys the connection. */
  end: 'finish' | 'leave';
}

const MAX_PIECES = 6;
const MANY_PIECES = 60;
const MAX_SPLITS = 5;

/** The attack of a round; the same for the same seed and round. */
export function generateRawAttack(seed: number, round: number): RawAttack {
  const random = createRandom(seed + Math.imul(round, 0x9e3779b1));
  const count = random(40) === 0 ? MANY_PIECES : 1 + random(MAX_PIECES);
  // What is no HTTP ends a connection, so that what follows it is never read: half of the attacks have one odd request.
  const odd = random(2) === 0 ? random(count) : -1;
  const pieces = Array.from({ length: count }, (_, index) => makePiece(`${round}-${index}`, index === odd, random));
  return spread(pieces, random);
}

function makePiece(marker: string, odd: boolean, random: Random): string {
  const request = generateRawRequest(marker, odd, random);
  const kind = odd ? random(6) : -1;
  if (kind === 0) return mutate([Buffer.from(request, 'latin1')], random).toString('latin1');
  return kind === 1 ? request.slice(0, random(request.length)) : request;
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
