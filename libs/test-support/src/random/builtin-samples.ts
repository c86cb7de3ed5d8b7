import { packBytes, packInteger, packName, packText, packVaruint } from './packed-bytes';
import { pick, type Random } from './random';

/** A packed value and the JSON text that the node prints for it. */
export interface PackedValue {
  bytes: Buffer;
  json: string;
}

type Sampler = (random: Random) => PackedValue;

const TEXTS = ['', 'a', 'memo: "x"', '\u0000\u001f\\', 'ünïcödé \u{1f600}', '__proto__', '\u2028', 'x'.repeat(300)];
const NAMES = ['', 'a', 'eosio.token', 'zzzzzzzzzzzz', '1.2.3', 'alice'];
const SYMBOLS = ['EOS', 'A', 'ABCDEFG'];
const SLOT_EPOCH_MS = Date.UTC(2000, 0, 1);

/** Fixed pairs, made with other libraries, of types whose text needs a hash or rounding. */
const FLOATS32: Pair[] = [
  ['00000000', '0.00000000000000000'],
  ['0000c03f', '1.50000000000000000'],
  ['000020c1', '-10.00000000000000000'],
  ['0000807f', 'inf'],
  ['000080ff', '-inf'],
];
const FLOATS64: Pair[] = [
  ['0000000000000080', '-0.00000000000000000'],
  ['000000000000f83f', '1.50000000000000000'],
  ['00000000000024c0', '-10.00000000000000000'],
  ['000000000000f07f', 'inf'],
  ['000000000000f87f', 'nan'],
];
const KEYS: Pair[] = [
  [
    '0002a5d2400af24411f64c29da2fe893ff2b6681a3b6ffbe980b2ee42ad10cc2e994',
    'EOS69X3383RzBZj41k73CSjUNXM5MYGpnDxyPnWUKPEtYQmTBWz4D',
  ],
  [
    '0103e6596d9d546af95d08967dfd667db51b5ddcb38ccad8588a76fb426bd64dde1e',
    'PUB_R1_8agVdjcnY3xPsPDaoPhPHtPvN1NzpaBtYt9wv6oFjpvAfsb13H',
  ],
  [
    '020220b9dab512e892392a44a9f41f9433c9fbd80db864e9df5889c2407db3acbb9f010d6b656f73642e696e76616c6964',
    'PUB_WA_WdCPfafVNxVMiW5ybdNs83oWjenQXvSt1F49fg9mv7qrCiRwHj5b38U3ponCFWxQTkDsMC',
  ],
];
const SIGNATURES: Pair[] = [
  [
    '00205150a67288c3b393fdba9061b05019c54b12bdac295fc83bebad7cd63c7bb67d5cb8cc220564da006240a58419f64d06a5c6e1fc62889816a6c3dfdd231ed389',
    'SIG_K1_KfPLgpw35iX8nfDzhbcmSBCr7nEGNEYXgmmempQspDJYBCKuAEs5rm3s4ZuLJY428Ca8ZhvR2Dkwu118y3NAoMDxhicRj9',
  ],
  [
    `02${'07'.repeat(65)}03010203027b7d`,
    'SIG_WA_gNKtojBwrjPp3tEXjsDXWqAKBGeqnN91Z9WRH6H8S8gZkF252ChTWMtFvNNgRNxoybW4PSRoe2wTchQBS6EK64ZA4jaqwekbZcRa6ZQ',
  ],
];

type Pair = [hex: string, text: string];

const SAMPLERS: Record<string, Sampler> = {
  bool: integer(1, 0n, 1n),
  int8: integer(1, -128n, 127n),
  uint8: integer(1, 0n, 255n),
  int16: integer(2, -(1n << 15n), (1n << 15n) - 1n),
  uint16: integer(2, 0n, (1n << 16n) - 1n),
  int32: integer(4, -(1n << 31n), (1n << 31n) - 1n),
  uint32: integer(4, 0n, (1n << 32n) - 1n),
  int64: integer(8, -(1n << 63n), (1n << 63n) - 1n),
  uint64: integer(8, 0n, (1n << 64n) - 1n),
  int128: quotedInteger(16, -(1n << 127n), (1n << 127n) - 1n),
  uint128: quotedInteger(16, 0n, (1n << 128n) - 1n),
  varint32: (random) => {
    const value = Number(between(random, -(1n << 31n), (1n << 31n) - 1n));
    return { bytes: packVaruint((value << 1) ^ (value >> 31)), json: String(value) };
  },
  varuint32: (random) => {
    const value = Number(between(random, 0n, (1n << 32n) - 1n));
    return { bytes: packVaruint(value), json: String(value) };
  },
  float32: oneOf(FLOATS32),
  float64: oneOf(FLOATS64),
  float128: hexOf(16, '0x'),
  time_point: (random) => {
    const ms = random(2 ** 31) * 1000 + random(1000);
    return { bytes: packInteger(BigInt(ms) * 1000n, 8), json: quoted(new Date(ms).toISOString().slice(0, 23)) };
  },
  time_point_sec: (random) => {
    const seconds = random(2 ** 32);
    const text = new Date(seconds * 1000).toISOString().slice(0, 19);
    return { bytes: packInteger(BigInt(seconds), 4), json: quoted(text) };
  },
  block_timestamp_type: (random) => {
    const slot = random(2 ** 32);
    const text = new Date(SLOT_EPOCH_MS + slot * 500).toISOString().slice(0, 23);
    return { bytes: packInteger(BigInt(slot), 4), json: quoted(text) };
  },
  name: (random) => {
    const name = pick(random, NAMES);
    return { bytes: packName(name), json: quoted(name) };
  },
  bytes: (random) => {
    const bytes = randomBytes(random, random(40));
    return { bytes: packBytes(bytes), json: quoted(bytes.toString('hex')) };
  },
  string: (random) => {
    const text = pick(random, TEXTS);
    return { bytes: packText(text), json: quoted(text) };
  },
  checksum160: hexOf(20, ''),
  checksum256: hexOf(32, ''),
  checksum512: hexOf(64, ''),
  public_key: oneOf(KEYS),
  signature: oneOf(SIGNATURES),
  symbol: (random) => {
    const [precision, code] = [random(19), pick(random, SYMBOLS)];
    return { bytes: packSymbol(precision, code), json: quoted(`${precision},${code}`) };
  },
  symbol_code: (random) => {
    const code = pick(random, SYMBOLS);
    return { bytes: packCode(code, 8), json: quoted(code) };
  },
  asset: (random) => {
    const { bytes, text } = asset(random);
    return { bytes, json: quoted(text) };
  },
  extended_asset: (random) => {
    const [{ bytes, text }, contract] = [asset(random), pick(random, NAMES)];
    const json = JSON.stringify({ quantity: text, contract });
    return { bytes: Buffer.concat([bytes, packName(contract)]), json };
  },
  bitset: (random) => {
    const size = random(40);
    const bits = Array.from({ length: size }, () => String(random(2))).join('');
    const packed = packInteger(BigInt(`0b0${bits}`), Math.ceil(size / 8));
    return { bytes: Buffer.concat([packVaruint(size), packed]), json: quoted(bits) };
  },
};

export const BUILTIN_NAMES = Object.keys(SAMPLERS);

/** A random value of a builtin type; undefined for any other name. */
export function sampleBuiltin(name: string, random: Random): PackedValue | undefined {
  return Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name]!(random) : undefined;
}

/** The node prints integers above 4294967295 in quotes, negative ones never (fc json.cpp). */
function integer(size: number, least: bigint, most: bigint): Sampler {
  return (random) => {
    const value = between(random, least, most);
    return { bytes: packInteger(value, size), json: value > 0xffffffffn ? `"${value}"` : String(value) };
  };
}

function quotedInteger(size: number, least: bigint, most: bigint): Sampler {
  return (random) => {
    const value = between(random, least, most);
    return { bytes: packInteger(value, size), json: `"${value}"` };
  };
}

/** A number in a range; often one of the bounds or a small number. */
function between(random: Random, least: bigint, most: bigint): bigint {
  const choice = random(6);
  if (choice === 0) return least;
  if (choice === 1) return most;
  if (choice === 2) return BigInt(random(2));
  const value = randomBytes(random, 16).readBigUInt64LE() * BigInt(1 + random(2 ** 31)) * BigInt(1 + random(2 ** 31));
  return least + (value % (most - least + 1n));
}

function asset(random: Random): { bytes: Buffer; text: string } {
  const amount = between(random, -(1n << 62n) + 1n, (1n << 62n) - 1n);
  const [precision, code] = [random(19), pick(random, SYMBOLS)];
  const digits = String(amount < 0n ? -amount : amount).padStart(precision + 1, '0');
  const point = digits.length - precision;
  const number = precision === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  const text = `${amount < 0n ? '-' : ''}${number} ${code}`;
  return { bytes: Buffer.concat([packInteger(amount, 8), packSymbol(precision, code)]), text };
}

function packSymbol(precision: number, code: string): Buffer {
  return Buffer.concat([Buffer.of(precision), packCode(code, 7)]);
}

function packCode(code: string, size: number): Buffer {
  const packed = Buffer.alloc(size);
  packed.write(code, 'latin1');
  return packed;
}

function hexOf(size: number, prefix: string): Sampler {
  return (random) => {
    const bytes = randomBytes(random, size);
    return { bytes, json: quoted(prefix + bytes.toString('hex')) };
  };
}

function oneOf(pairs: readonly Pair[]): Sampler {
  return (random) => {
    const [hex, text] = pick(random, pairs);
    return { bytes: Buffer.from(hex, 'hex'), json: quoted(text) };
  };
}

function randomBytes(random: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random(256)));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
