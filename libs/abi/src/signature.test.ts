import { Signature } from '@wharfkit/antelope';
import fc from 'fast-check';
import { thrownDetail } from '../test/thrown-error';
import { ByteReader } from './byte-reader';
import { readSignature, signatureToString } from './signature';

/** An arbitrary packed signature; a WA signature has two parts of variable length. */
const packedSignature = fc
  .record({
    tag: fc.constantFrom(0, 1, 2),
    compact: fc.uint8Array({ minLength: 65, maxLength: 65 }),
    authData: fc.uint8Array({ maxLength: 90, size: 'max' }),
    clientJson: fc.uint8Array({ maxLength: 90, size: 'max' }),
  })
  .map(({ tag, compact, authData, clientJson }) =>
    Buffer.concat([
      Buffer.of(tag),
      compact,
      ...(tag === 2 ? [Buffer.of(authData.length), authData, Buffer.of(clientJson.length), clientJson] : []),
    ]),
  );

describe('signatures', () => {
  it('are read completely and printed as wharfkit prints them', () => {
    fc.assert(
      fc.property(packedSignature, (packed) => {
        const reader = new ByteReader(Buffer.concat([packed, Buffer.of(1, 2)]));
        const signature = readSignature(reader);
        expect(signature).toEqual(packed);
        expect(reader.remaining()).toBe(2);
        const text = signatureToString(signature);
        expect(Buffer.from(Signature.from(text).data.array)).toEqual(packed.subarray(1));
      }),
    );
  });

  it('are read to the same bytes when their tag and lengths take more bytes than they need, as the node does', () => {
    const wa = Buffer.concat([Buffer.of(2), Buffer.alloc(65, 7), Buffer.of(2, 8, 8, 1, 9)]);
    const long = Buffer.concat([
      Buffer.of(0x82, 0),
      Buffer.alloc(65, 7),
      Buffer.of(0x82, 0x80, 0, 8, 8, 0x81, 0, 9, 5),
    ]);
    const reader = new ByteReader(long);
    expect(readSignature(reader)).toEqual(wa);
    expect(reader.remaining()).toBe(1);
    expect(readSignature(new ByteReader(Buffer.concat([Buffer.of(0x81, 0), Buffer.alloc(65, 7)])))[0]).toBe(1);
  });

  it('of zero bytes print as in the genesis block', () => {
    expect(signatureToString(Buffer.alloc(66))).toMatch(/^SIG_K1_1{60,}6uk5ne$/);
  });

  it('are refused when their type is unknown, when they are truncated, and when they are too long', () => {
    const wa = (length: number): Buffer =>
      Buffer.concat([
        Buffer.of(2),
        Buffer.alloc(65),
        Buffer.of(0, (length & 0x7f) | 0x80, length >> 7),
        Buffer.alloc(length),
      ]);
    expect(thrownDetail('DECODE_FAILED', () => readSignature(new ByteReader(Buffer.alloc(65))))).toContain(
      'cannot read',
    );
    expect(thrownDetail('DECODE_FAILED', () => readSignature(new ByteReader(Buffer.alloc(66, 9))))).toContain('type 9');
    expect(thrownDetail('DECODE_FAILED', () => readSignature(new ByteReader(wa(5000))))).toContain('bytes');
    expect(signatureToString(readSignature(new ByteReader(wa(4000))))).toMatch(/^SIG_WA_/);
  });
});
