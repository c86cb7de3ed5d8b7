import { abiOfUse, type HostileAbi } from '../hostile-abi';
import { ByteWriter } from '../byte-writer';
import { call, setabi } from '../hostile-chain';
import type { Expectation } from '../specs';
import { decodes, inTransactions, uses, writeAbi, type Attack } from './attack';

/** Types that lead nowhere, or far; each is one ABI that is used at once, in the transaction that sets it. */

interface Case {
  abi: HostileAbi;
  data: Buffer;
  expected?: Expectation;
}

const field = (type: string): HostileAbi => abiOfUse([['x', type]]);
const ones = (count: number): Buffer => Buffer.alloc(count, 1);

/** `t0` is `t1` is … `t<length>`, which is a bool. */
function aliasChain(length: number): [string, string][] {
  const links = Array.from({ length }, (_, index): [string, string] => [`t${index}`, `t${index + 1}`]);
  return [...links, [`t${length}`, 'bool']];
}

const listNode = { name: 'node', fields: [['next', 'node?']] as [string, string][] };

const RECURSION: Case[] = [
  // Aliases: of each other, of themselves, as many as nodes follow, one more.
  {
    abi: abiOfUse([['x', 'a']], {
      types: [
        ['a', 'b'],
        ['b', 'a'],
      ],
    }),
    data: ones(1),
    expected: 'undecodable',
  },
  { abi: abiOfUse([['x', 'a']], { types: [['a', 'a[]']] }), data: ones(64), expected: 'undecodable' },
  { abi: abiOfUse([['x', 'a']], { types: [['a', 'a?']] }), data: ones(64), expected: 'undecodable' },
  { abi: abiOfUse([['x', 't0']], { types: aliasChain(29) }), data: ones(1), expected: decodes({ x: 1 }) },
  { abi: abiOfUse([['x', 't0']], { types: aliasChain(5000) }), data: ones(1), expected: 'undecodable' },
  // Structs that contain themselves: 300 levels of data, more than are followed.
  { abi: abiOfUse([['x', 'node']], { structs: [listNode] }), data: ones(300), expected: 'undecodable' },
  {
    abi: abiOfUse([['x', 'node']], { structs: [listNode] }),
    data: Buffer.from([1, 1, 0]),
    expected: decodes({ x: { next: { next: { next: null } } } }),
  },
  { abi: abiOfUse([['x', 'use']]), data: ones(64), expected: 'undecodable' },
  { abi: abiOfUse([['x', 'node[]']], { structs: [{ name: 'node', fields: [['n', 'node[]']] }] }), data: ones(300) },
  {
    abi: abiOfUse([['x', 'uint8']], { structs: [{ name: 'a', base: 'a', fields: [] }] }),
    data: ones(1),
    expected: 'undecodable',
  },
  // Variants that contain themselves.
  {
    abi: abiOfUse([['x', 'v']], { variants: [{ name: 'v', types: ['v', 'bool'] }] }),
    data: Buffer.alloc(300),
    expected: 'undecodable',
  },
  {
    abi: abiOfUse([['x', 'v']], { variants: [{ name: 'v', types: ['v', 'bool'] }] }),
    data: Buffer.from([0, 0, 1, 1]),
    expected: decodes({ x: ['v', ['v', ['bool', 1]]] }),
  },
  {
    abi: abiOfUse([['x', 'v']], { variants: [{ name: 'v', types: ['v[]', 'v?'] }] }),
    data: ones(300),
    expected: 'undecodable',
  },
  { abi: abiOfUse([['x', 'v']], { variants: [{ name: 'v', types: [] }] }), data: ones(8), expected: 'undecodable' },
  // Elements of no size, and sizes that the data do not have.
  {
    abi: abiOfUse([['x', 'none[]']], { structs: [{ name: 'none', fields: [] }] }),
    data: Buffer.from([255, 255, 255, 255, 15]),
    expected: 'undecodable',
  },
  {
    abi: abiOfUse([['x', 'none[]']], { structs: [{ name: 'none', fields: [['e', 'bool$']] }] }),
    data: Buffer.from([63, ...Buffer.alloc(63)]),
  },
  { abi: field('bool[0][4294967295]'), data: ones(64), expected: 'undecodable' },
  { abi: field('bool[4294967295]'), data: ones(64), expected: 'undecodable' },
  { abi: field('bool[1][1][1][1][1][1][1][1]'), data: ones(64) },
  { abi: field(`bool${'[]'.repeat(25)}`), data: ones(64) },
  { abi: field(`bool${'?'.repeat(25)}`), data: ones(64) },
  { abi: field(`bool${'?[]'.repeat(15)}`), data: ones(64) },
  // Extensions: in the middle, of a base, of an extension.
  {
    abi: abiOfUse([
      ['a', 'uint8$'],
      ['b', 'uint8'],
    ]),
    data: ones(1),
    expected: 'undecodable',
  },
  {
    abi: abiOfUse([
      ['a', 'uint8'],
      ['b', 'uint8$'],
    ]),
    data: ones(1),
    expected: decodes({ a: 1 }),
  },
  { abi: abiOfUse([['a', 'uint8$$$']]), data: ones(1) },
  { abi: abiOfUse([['a', 'uint8$[]']]), data: ones(2), expected: 'undecodable' },
  {
    abi: {
      structs: [
        { name: 'B', fields: [['e', 'uint8$']] },
        { name: 'use', base: 'B', fields: [['f', 'uint8']] },
      ],
      actions: [['use', 'use']],
    },
    data: ones(2),
  },
  // Things defined twice, or by names of builtins.
  { abi: abiOfUse([['x', 'uint8']], { types: [['uint8', 'string']] }), data: ones(2), expected: 'undecodable' },
  {
    abi: abiOfUse([['x', '__proto__']], { types: [['__proto__', 'uint8']] }),
    data: ones(1),
    expected: decodes({ x: 1 }),
  },
  { abi: abiOfUse([['x', 'constructor']]), data: ones(1), expected: 'undecodable' },
  {
    abi: { structs: [{ name: '__proto__', fields: [['x', 'uint8']] }], actions: [['use', '__proto__']] },
    data: ones(1),
    expected: decodes({ x: 1 }),
  },
];

const recursion: Attack = {
  name: 'recursion',
  aim: 'aliases, structs, variants and extensions that contain themselves; elements of no size',
  accounts: ['hrecursion'],
  write(chain) {
    for (let at = 0; at < RECURSION.length; at += 10) {
      const transactions = RECURSION.slice(at, at + 10).map(({ abi, data, expected }) => ({
        compressed: true,
        actions: [setabi('hrecursion', abi), call('hrecursion', 'use', data, expected ? { expected } : {})],
      }));
      chain.block({ transactions });
    }
  },
};

/** The doubles between two powers of ten print 17 digits and a large exponent; NaN and infinity are no JSON. */
const FLOATS = [1.7976931348623157e308, -5e-324, Number.NaN, Number.POSITIVE_INFINITY, 1.2345678901234567e-300];

function floats(): Buffer {
  const writer = new ByteWriter();
  for (const value of FLOATS) writer.float64(value);
  return writer.take();
}

function longKey(size: number): Buffer {
  return new ByteWriter().uint8(2).raw(Buffer.alloc(33, 2)).uint8(1).blob(Buffer.alloc(size, 0x61)).take();
}

function longSignature(size: number): Buffer {
  return new ByteWriter()
    .uint8(2)
    .raw(Buffer.alloc(65, 31))
    .blob(Buffer.alloc(size))
    .blob(Buffer.alloc(size, 0x61))
    .take();
}

const filled = (size: number): Buffer => Buffer.alloc(size, 0xff);
const K1_KEY = Buffer.concat([Buffer.from([0, 2]), Buffer.alloc(32, 0xcd)]);
const K1_SIGNATURE = Buffer.concat([Buffer.from([0, 31]), Buffer.alloc(64, 0xcd)]);
/** 2^62 - 1 with 18 decimals of a seven-letter symbol. */
const ASSET = Buffer.concat([Buffer.from('ffffffffffffff3f', 'hex'), Buffer.from([18]), Buffer.from('ABCDEFG')]);

/** Types that take long to print, each with the bytes of one value. */
const COSTLY: [type: string, value: Buffer][] = [
  ['float64', floats().subarray(0, 8)],
  ['float64', floats().subarray(32, 40)],
  ['float32', Buffer.from([0xff, 0xff, 0x7f, 0x7f])],
  ['float128', filled(16)],
  ['uint128', filled(16)],
  ['int128', Buffer.concat([Buffer.alloc(15), Buffer.from([0x80])])],
  ['uint64', filled(8)],
  ['varint32', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])],
  ['asset', ASSET],
  ['extended_asset', Buffer.concat([ASSET, filled(8)])],
  ['symbol', ASSET.subarray(8)],
  ['symbol_code', Buffer.concat([ASSET.subarray(9), Buffer.alloc(1)])],
  ['time_point', filled(8)],
  ['time_point_sec', filled(4)],
  ['time_point', Buffer.from('ffffffffffffff7f', 'hex')],
  ['block_timestamp_type', filled(4)],
  ['name', filled(8)],
  ['checksum512', filled(64)],
  ['public_key', K1_KEY],
  ['signature', K1_SIGNATURE],
  ['public_key', longKey(60)],
  ['public_key', longKey(16_000)],
  ['signature', longSignature(40)],
  ['signature', longSignature(8_000)],
  ['bitset', Buffer.concat([Buffer.from([0xf8, 0xff, 0x07]), filled(16_383)])],
  ['string', Buffer.from([0])],
  ['bytes', Buffer.from([0])],
];

const DATA_BYTES = 48_000;

const builtins: Attack = {
  name: 'builtins',
  aim: 'arrays of 48 KB of each type that takes long to print, 12 times each',
  accounts: ['hbuiltins'],
  write(chain) {
    for (const [type, value] of COSTLY) {
      writeAbi(chain, 'hbuiltins', field(`${type}[]`));
      const count = Math.floor(DATA_BYTES / value.length);
      const data = new ByteWriter()
        .varuint(count)
        .raw(Buffer.concat(Array.from({ length: count }, () => value)))
        .take();
      const transactions = uses('hbuiltins', data, 12).map((action) => ({ compressed: true, actions: [action] }));
      chain.block({ transactions });
    }
    writeAbi(chain, 'hbuiltins', field('float64[]'));
    const data = new ByteWriter().varuint(FLOATS.length).raw(floats()).take();
    chain.block({ transactions: [{ actions: uses('hbuiltins', data, 1) }] });
  },
};

/** One key of 450 KB: base58 takes time that grows with the square. */
const hugeKey: Attack = {
  name: 'huge-key',
  aim: 'a WebAuthn key of 450 KB and a signature of 300 KB as action data',
  accounts: ['hhugekey'],
  write(chain) {
    writeAbi(chain, 'hhugekey', {
      structs: [
        { name: 'key', fields: [['x', 'public_key']] },
        { name: 'sig', fields: [['x', 'signature']] },
      ],
      actions: [
        ['key', 'key'],
        ['sig', 'sig'],
      ],
    });
    const actions = [call('hhugekey', 'key', longKey(450_000)), call('hhugekey', 'sig', longSignature(150_000))];
    chain.block({ transactions: actions.map((action) => ({ compressed: true, actions: [action] })) });
  },
};

/** What fails at its last byte gives no byte of the response, and has taken as long as what does not fail. */
const failLate: Attack = {
  name: 'fail-late',
  aim: '100 actions each of 16 KB to 64 KB whose last field is not there',
  accounts: ['hfaillate'],
  write(chain) {
    const others = { structs: [{ name: 'item', fields: [['0', 'uint8'] as [string, string]] }] };
    const elements: [type: string, value: Buffer, count: number][] = [
      ['item', Buffer.from([7]), 16_000],
      ['time_point_sec', filled(4), 16_000],
      ['public_key', K1_KEY, 1_900],
      ['uint8[]', Buffer.from([0]), 64_000],
    ];
    for (const [type, value, count] of elements) {
      writeAbi(
        chain,
        'hfaillate',
        abiOfUse(
          [
            ['items', `${type}[]`],
            ['missing', 'uint8'],
          ],
          others,
        ),
      );
      const data = new ByteWriter()
        .varuint(count)
        .raw(Buffer.concat(Array.from({ length: count }, () => value)))
        .take();
      const actions = uses('hfaillate', data, 100, { expected: 'undecodable' });
      const transactions = inTransactions(actions, 10).map((each) => ({ ...each, compressed: true }));
      chain.block({ transactions });
    }
  },
};

/** An element that is nothing still is an array, or a null, of its own. */
const emptyLists: Attack = {
  name: 'empty-lists',
  aim: '12 actions each of 300,000 empty arrays, of 800,000 nulls and of 190,000 empty strings',
  accounts: ['hempty'],
  write(chain) {
    for (const [type, count] of [
      ['uint8[]', 300_000],
      ['uint8?', 800_000],
      ['string', 190_000],
    ] as const) {
      writeAbi(chain, 'hempty', field(`${type}[]`));
      const data = new ByteWriter().varuint(count).raw(Buffer.alloc(count)).take();
      const transactions = uses('hempty', data, 12).map((action) => ({ compressed: true, actions: [action] }));
      chain.block({ transactions });
    }
  },
};

/** Failing is slow, too: an error passes through 29 levels. */
const failDeep: Attack = {
  name: 'fail-deep',
  aim: '5,000 actions of 16 bytes in one block that fail deep inside a struct that contains itself',
  accounts: ['hfaildeep'],
  write(chain) {
    writeAbi(chain, 'hfaildeep', abiOfUse([['x', 'node']], { structs: [listNode] }));
    const actions = uses('hfaildeep', ones(14), 5_000, { expected: 'undecodable' });
    chain.block({ transactions: inTransactions(actions, 500) });
  },
};

export const TYPE_ATTACKS = [recursion, builtins, hugeKey, failLate, failDeep, emptyLists];
