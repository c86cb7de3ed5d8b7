import type { Random } from './random';

/** A copy of one of the messages with one to four mutations, or random bytes. */
export function mutate(messages: readonly Buffer[], random: Random): Buffer {
  if (random(20) === 0) return randomBytes(random(4096), random);
  let message: Buffer = Buffer.from(messages[random(messages.length)]!);
  const times = 1 + random(4);
  for (let time = 0; time < times; time++) {
    const change = MUTATIONS[random(MUTATIONS.length)]!;
    if (message.length > 0) message = change(message, random, messages);
  }
  return message;
}

type Mutation = (message: Buffer, random: Random, messages: readonly Buffer[]) => Buffer;

const MUTATIONS: Mutation[] = [flipBit, setByte, truncate, inflateLength, splice, repeat, remove];

/** An offset: half of them anywhere, half behind the first 150 bytes, which are SHiP's positions. */
function randomOffset(message: Buffer, random: Random): number {
  const skip = random(2) * Math.min(150, message.length - 1);
  return skip + random(message.length - skip);
}

function flipBit(message: Buffer, random: Random): Buffer {
  const at = randomOffset(message, random);
  message[at]! ^= 1 << random(8);
  return message;
}

function setByte(message: Buffer, random: Random): Buffer {
  message[randomOffset(message, random)] = [0, 1, 2, 0x7f, 0x80, 0xff][random(6)]!;
  return message;
}

function truncate(message: Buffer, random: Random): Buffer {
  return message.subarray(0, random(message.length));
}

/** Replaces a byte by the varuint32 of a huge or a large length. */
function inflateLength(message: Buffer, random: Random): Buffer {
  const at = randomOffset(message, random);
  const length =
    random(2) === 0 ? [0xff, 0xff, 0xff, 0xff, 0x0f] : [0x80 + random(128), 0x80 + random(128), 1 + random(16)];
  return Buffer.concat([message.subarray(0, at), Buffer.from(length), message.subarray(at + 1)]);
}

function splice(message: Buffer, random: Random, messages: readonly Buffer[]): Buffer {
  const other = messages[random(messages.length)]!;
  return Buffer.concat([message.subarray(0, randomOffset(message, random)), other.subarray(random(other.length))]);
}

function repeat(message: Buffer, random: Random): Buffer {
  const at = randomOffset(message, random);
  const part = message.subarray(at, at + 1 + random(400));
  return Buffer.concat([message.subarray(0, at), ...Array<Buffer>(1 + random(20)).fill(part), message.subarray(at)]);
}

function remove(message: Buffer, random: Random): Buffer {
  const at = randomOffset(message, random);
  return Buffer.concat([message.subarray(0, at), message.subarray(at + 1 + random(16))]);
}

function randomBytes(length: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)));
}
