import fc from 'fast-check';
import { readEventCosts, readFrameCosts } from './stream-costs';

/** A frame of a server, as short as RFC 6455 (5.2) demands. */
function frame(opcode: number, payload: string): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from(payload, 'latin1')]);
}

const cost = fc.integer({ min: 1, max: 999_999_999 });
const filler = fc.constantFrom(
  '',
  ':cost 5',
  'x',
  'y'.repeat(125),
  'cost 7'.repeat(30),
  '\u008a\u0006cost 3'.repeat(9_000),
);
const pieces = fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1 });
const parts = fc.array(fc.oneof(cost, filler), { maxLength: 8 });

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const cuts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += cuts.at(-1)?.length ?? 0)
    cuts.push(bytes.subarray(at, at + (lengths[cuts.length % lengths.length] ?? 1)));
  return cuts;
}

describe.each([
  [
    'server-sent events',
    readEventCosts,
    (text: string) => Buffer.from(`data: ${text}\n\n`),
    (n: number) => Buffer.from(`:cost ${n}\n\n`),
  ],
  ['frames', readFrameCosts, (text: string) => frame(1, text), (n: number) => frame(10, `cost ${n}`)],
] as const)('the costs among %s', (_name, read, writeEvent, writeCost) => {
  it('are read once each, however the bytes arrive, and from nothing else', () => {
    fc.assert(
      fc.property(parts, pieces, (sent, lengths) => {
        const charged: number[] = [];
        const reader = read((amount) => charged.push(amount));
        const bytes = Buffer.concat(
          sent.map((part) => (typeof part === 'number' ? writeCost(part) : writeEvent(part))),
        );
        for (const piece of cut(bytes, lengths)) reader(piece);
        expect(charged).toEqual(sent.filter((part) => typeof part === 'number'));
      }),
      // Cut everywhere, and once within the head of the second frame.
      { examples: [1, 11].map((length) => [[7, 'y'.repeat(201), 3, 'y'.repeat(70_001), 1], [length]]) },
    );
  });
});
