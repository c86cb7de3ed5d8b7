import { abiOfUse } from '../hostile-abi';
import type { Text } from '../byte-writer';
import type { HostileChain } from '../hostile-chain';
import { call } from '../hostile-chain';
import { decodes, inTransactions, mayDecode, uses, writeAbi, type Attack } from './attack';

/** Names of the ABI that are printed once per byte of data. */

const LONG = 65_000;
const ITEMS = 63;

/** An action of 64 bytes prints the name 63 times: 4 MB. */
function writeNamed(chain: HostileChain, account: string, name: Text, count: number): void {
  writeAbi(chain, account, abiOfUse([['items', 'item[]']], { structs: [{ name: 'item', fields: [[name, 'uint8']] }] }));
  const data = Buffer.alloc(ITEMS + 1, 7);
  data[0] = ITEMS;
  const text = typeof name === 'string' ? name : name.toString('utf8');
  const expected = mayDecode({ items: Array.from({ length: ITEMS }, () => ({ [text]: 7 })) });
  chain.block({ transactions: inTransactions(uses(account, data, count, { expected }), 100) });
}

const longName: Attack = {
  name: 'long-name',
  aim: '1,000 actions of 64 bytes print a field name of 65 KB 63 times each',
  accounts: ['hlongname'],
  write: (chain) => writeNamed(chain, 'hlongname', 'f'.repeat(LONG), 1000),
};

/** Each byte becomes six characters. */
const escapedName: Attack = {
  name: 'escaped-name',
  aim: 'the same with control characters, which take six characters each in JSON',
  accounts: ['hescaped'],
  write: (chain) => writeNamed(chain, 'hescaped', '\u0001'.repeat(LONG), 200),
};

/** A name that JavaScript's own objects cannot hold in order goes the slow way. */
const numericName: Attack = {
  name: 'numeric-name',
  aim: '64-byte actions with numeric field names besides one of 65 KB that needs escaping',
  accounts: ['hnumeric'],
  write(chain) {
    const fields: [Text, Text][] = [
      ['1', 'uint8'],
      ['\u0001'.repeat(LONG), 'uint8'],
      ['0', 'uint8'],
    ];
    writeAbi(chain, 'hnumeric', abiOfUse([['items', 'item[]']], { structs: [{ name: 'item', fields }] }));
    const data = Buffer.concat([Buffer.from([21]), Buffer.alloc(63, 7)]);
    chain.block({ transactions: inTransactions(uses('hnumeric', data, 200), 100) });
  },
};

const numericItems: Attack = {
  name: 'numeric-items',
  aim: '250 actions of 16 KB, arrays of structs with a numeric field name',
  accounts: ['hnumitems'],
  write(chain) {
    const others = { structs: [{ name: 'item', fields: [['0', 'uint8'] as [string, string]] }] };
    writeAbi(chain, 'hnumitems', abiOfUse([['items', 'item[]']], others));
    const data = Buffer.concat([Buffer.from([0x80, 0x7d]), Buffer.alloc(16_000, 7)]);
    const expected = mayDecode({ items: Array.from({ length: 16_000 }, () => ({ '0': 7 })) });
    const transactions = inTransactions(uses('hnumitems', data, 250, { expected }), 25);
    chain.block({ transactions: transactions.map((each) => ({ ...each, compressed: true })) });
  },
};

/** A lone surrogate is no UTF-8: it is left out, and what is left may be another field's name. */
const LONE_SURROGATE = Buffer.from([0xed, 0xa0, 0x80]);

/** Names that mean something to JavaScript, and names that become equal. Each is one ABI, used once. */
const ODD_NAMES: { fields: Text[]; json: string }[] = [
  { fields: ['__proto__', 'a'], json: '{"__proto__":1,"a":2}' },
  { fields: ['constructor', 'prototype'], json: '{"constructor":1,"prototype":2}' },
  { fields: ['toJSON', 'hasOwnProperty'], json: '{"toJSON":1,"hasOwnProperty":2}' },
  { fields: ['valueOf', 'toString', 'then'], json: '{"valueOf":1,"toString":2,"then":3}' },
  { fields: ['b', '10', '2', 'a'], json: '{"b":1,"10":2,"2":3,"a":4}' },
  { fields: ['4294967295', '4294967294', '-1', '01'], json: '{"4294967295":1,"4294967294":2,"-1":3,"01":4}' },
  { fields: ['x', 'y', 'x'], json: '{"x":3,"y":2}' },
  { fields: ['', '\u0000', '\u2028'], json: '{"":1,"\\u0000":2,"\u2028":3}' },
  { fields: ['"', '\\', '\n'], json: '{"\\"":1,"\\\\":2,"\\n":3}' },
  { fields: [Buffer.concat([Buffer.from('a'), LONE_SURROGATE]), 'a'], json: '{"a":2}' },
  { fields: [Buffer.from([0xff]), Buffer.from([0xc0, 0x80])], json: '{"":2}' },
  { fields: ['__proto__', '__proto__'], json: '{"__proto__":2}' },
];

const oddNames: Attack = {
  name: 'odd-names',
  aim: '`__proto__`, `toJSON`, numeric, duplicate and invalid names, each of a contract of its own ABI',
  accounts: ['hoddnames'],
  write(chain) {
    for (const { fields, json } of ODD_NAMES) {
      writeAbi(chain, 'hoddnames', abiOfUse(fields.map((name) => [name, 'uint8'])));
      const data = Buffer.from(fields.map((_, index) => index + 1));
      const expected = { json, mayBeHex: false };
      chain.block({ transactions: [{ actions: [call('hoddnames', 'use', data, { expected })] }] });
    }
  },
};

const variantNames: Attack = {
  name: 'variant-names',
  aim: '64-byte actions print the type name of a variant, 60 KB of control characters, 31 times',
  accounts: ['hvariants'],
  write(chain) {
    const type = '\u0001'.repeat(60_000);
    const others = { types: [[type, 'uint8'] as [string, string]], variants: [{ name: 'v', types: ['bool', type] }] };
    writeAbi(chain, 'hvariants', abiOfUse([['items', 'v[]']], others));
    const data = Buffer.from([31, ...Array.from({ length: 62 }, () => 1)]);
    const expected = mayDecode({ items: Array.from({ length: 31 }, () => [type, 1]) });
    chain.block({ transactions: inTransactions(uses('hvariants', data, 100, { expected }), 100) });
  },
};

const strings: Attack = {
  name: 'strings',
  aim: '16 strings each of 400 KB of control characters, of quotes, and of two kinds of invalid UTF-8',
  accounts: ['hstrings'],
  write(chain) {
    writeAbi(chain, 'hstrings', abiOfUse([['text', 'string']]));
    for (const byte of [0x01, 0x22, 0x80, 0xed]) {
      const text = Buffer.alloc(400_000, byte);
      const data = Buffer.concat([Buffer.from([0x80, 0xb5, 0x18]), text]);
      const expected = mayDecode({ text: byte >= 0x80 ? '' : text.toString('latin1') });
      const actions = uses('hstrings', data, 16, { expected });
      chain.block({ transactions: actions.map((action) => ({ compressed: true, actions: [action] })) });
    }
    const small = { expected: decodes({ text: 'a\u00e9' }) };
    const data = Buffer.from([7, 0x61, 0xed, 0xa0, 0x80, 0xc3, 0xa9, 0xff]);
    chain.block({ transactions: [{ actions: uses('hstrings', data, 1, small) }] });
  },
};

export const FIELD_NAME_ATTACKS = [longName, escapedName, numericName, numericItems, oddNames, variantNames, strings];
