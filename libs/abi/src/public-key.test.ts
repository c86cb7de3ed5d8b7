import { PublicKey } from '@wharfkit/antelope';
import fc from 'fast-check';
import { thrownDetail } from '../test/thrown-error';
import { encodeBase58Check } from './base58';
import { ByteReader } from './byte-reader';
import { parsePublicKey, publicKeyToPubString, publicKeyToString, readPublicKey } from './public-key';

/** The same keys in both text forms (abieos src/test.cpp). */
const SAME_KEYS = [
  [
    'EOS12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa2',
    'PUB_K1_12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVb7Rf7o',
  ],
  [
    'EOS69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4D',
    'PUB_K1_69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmVzqTY7',
  ],
] as const;
const R1_KEY = 'PUB_R1_8agVdjcnY3xPsPDaoPhPHtPvN1NzpaBtYt9wv6oFjpvAfsb13H';
const WA_KEY = 'PUB_WA_WdCPfafVNxVMiW5ybdNs83oWjenQXvSt1F49fg9mv7qrCiRwHj5b38U3ponCFWxQTkDsMC';
const WA_BYTES = /^020220b9dab5[0-9a-f]+bb9f010d6b656f73642e696e76616c6964$/;

describe('public keys', () => {
  it.each(SAME_KEYS)('reads %s and %s as one key and prints both', (legacy, pub) => {
    const key = parsePublicKey(legacy);
    expect(parsePublicKey(pub)).toEqual(key);
    expect(key).toHaveLength(34);
    expect(publicKeyToString(key)).toBe(legacy);
    expect(publicKeyToPubString(key)).toBe(pub);
  });

  it.each([R1_KEY, WA_KEY])('parses and prints %s without a change', (text) => {
    expect(publicKeyToString(parsePublicKey(text))).toBe(text);
    expect(publicKeyToPubString(parsePublicKey(` ${text}\n`))).toBe(text);
  });

  it('keeps all parts of a WA key', () => expect(parsePublicKey(WA_KEY).toString('hex')).toMatch(WA_BYTES));

  it.each([
    ['', 'must begin with'],
    ['FIO69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4D', 'must begin with'],
    ['PUB_XX_69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmVzqTY7', 'must begin with'],
    ['EOS', 'too short'],
    ['EOS1111', 'too short'],
    ['PUB_K1_', 'too short'],
    ['EOS69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4O', 'base58'],
    ['EOS69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4é', 'base58'],
    ['EOS69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4E', 'checksum'],
    ['PUB_R1_69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmVzqTY7', 'checksum'],
    [`EOS${encodeBase58Check(Buffer.alloc(32), '')}`, '32 bytes are not the length'],
    [`PUB_R1_${encodeBase58Check(Buffer.alloc(34), 'R1')}`, '34 bytes are not the length'],
    [`EOS${'2'.repeat(600)}`, 'longer than 512'],
  ])('refuses %p: %s', (text, reason) => {
    expect(thrownDetail('INVALID_PUBLIC_KEY', () => parsePublicKey(text))).toContain(reason);
  });

  it('refuses a WA key without a relying party', () => {
    const packed = Buffer.concat([Buffer.of(2), Buffer.alloc(35)]);
    expect(thrownDetail('DECODE_FAILED', () => readPublicKey(new ByteReader(packed)))).toContain('relying party');
  });

  it('reads packed keys and leaves the bytes after them', () => {
    for (const text of [SAME_KEYS[0][0], R1_KEY, WA_KEY]) {
      const key = parsePublicKey(text);
      const reader = new ByteReader(Buffer.concat([key, Buffer.of(7)]));
      expect(readPublicKey(reader)).toEqual(key);
      expect(reader.uint8()).toBe(7);
    }
    const unknown = new ByteReader(Buffer.concat([Buffer.of(3), Buffer.alloc(40)]));
    expect(thrownDetail('DECODE_FAILED', () => readPublicKey(unknown))).toContain('type 3');
  });

  it('reads tags and lengths of more bytes than they need, as the node does, to the same canonical bytes', () => {
    for (const text of [SAME_KEYS[0][0], R1_KEY, WA_KEY]) {
      const key = parsePublicKey(text);
      const longTag = Buffer.concat([Buffer.of(key[0]! | 0x80, 0x80, 0), key.subarray(1), Buffer.of(7)]);
      const reader = new ByteReader(longTag);
      expect(readPublicKey(reader)).toEqual(key);
      expect(reader.remaining()).toBe(1);
    }
    const wa = parsePublicKey(WA_KEY);
    const longLength = Buffer.concat([wa.subarray(0, 35), Buffer.of(wa[35]! | 0x80, 0), wa.subarray(36)]);
    expect(readPublicKey(new ByteReader(longLength))).toEqual(wa);
    const party = Buffer.alloc(200, 'a');
    const packed = Buffer.concat([wa.subarray(0, 35), Buffer.of(0xc8, 1), party]);
    const longer = Buffer.concat([wa.subarray(0, 35), Buffer.of(0xc8, 0x81, 0), party]);
    expect(readPublicKey(new ByteReader(longer))).toEqual(packed);
  });

  it('prints and parses any key as wharfkit does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 33, maxLength: 33 }), fc.constantFrom(0, 1), (point, tag) => {
        const canonical = Buffer.concat([Buffer.of(tag), point]);
        const theirs = PublicKey.from({ type: tag === 0 ? 'K1' : 'R1', compressed: point });
        expect(publicKeyToPubString(canonical)).toBe(String(theirs));
        expect(publicKeyToString(canonical)).toBe(tag === 0 ? theirs.toLegacyString('EOS') : String(theirs));
        expect(parsePublicKey(String(theirs))).toEqual(canonical);
      }),
    );
  });
});
