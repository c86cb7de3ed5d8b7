import { call, setabi } from '../hostile-chain';
import { abiOfUse, packHostileAbi } from '../hostile-abi';
import { accountNames, decodes, inTransactions, mayDecode, shortNames, uses, writeAbi, type Attack } from './attack';

/** ABIs that cost far more memory than they have bytes. */

const BASE_FIELDS = 20_000;

/** 83 KB: a base of 20,000 fields of three bytes each, and 1,000 structs that inherit it, each of an action of its own. */
const bases: Attack = {
  name: 'bases',
  aim: '1,000 structs inherit one base of 20,000 fields; 3-byte actions use each',
  accounts: ['hbases'],
  write(chain) {
    const names = accountNames('d', 1000);
    const structs = names.map((name) => ({ name: name.slice(1), base: 'B', fields: [] }));
    writeAbi(chain, 'hbases', {
      types: [['b', 'bool']],
      structs: [{ name: 'B', fields: Array.from({ length: BASE_FIELDS }, () => ['', 'b']) }, ...structs],
      actions: names.map((name) => [name, name.slice(1)]),
    });
    const data = Buffer.from([1, 1, 1]);
    const actions = names.map((name) => call('hbases', name, data, { expected: 'undecodable' }));
    chain.block({ transactions: inTransactions(actions, 100) });
  },
};

/** As many levels of bases as nodes take (abi_serializer.hpp max_recursion_depth), 400 fields on each. */
const lineage: Attack = {
  name: 'lineage',
  aim: '1,000 structs at the end of 29 levels of bases',
  accounts: ['hlineage'],
  write(chain) {
    const levels = Array.from({ length: 29 }, (_, level) => ({
      name: `l${level}`,
      base: level === 0 ? '' : `l${level - 1}`,
      fields: Array.from({ length: 800 }, (): [string, string] => ['', 'b']),
    }));
    const names = accountNames('d', 1000);
    writeAbi(chain, 'hlineage', {
      types: [['b', 'bool']],
      structs: [...levels, ...names.map((name) => ({ name, base: 'l28', fields: [] }))],
      actions: names.map((name) => [name, name]),
    });
    const actions = names.map((name) => call('hlineage', name, Buffer.from([1, 1, 1]), { expected: 'undecodable' }));
    chain.block({ transactions: inTransactions(actions, 100) });
  },
};

const VERSION = 'v000';

/** 147 KB in 49,000 fields of three bytes. */
const costlyAbi = packHostileAbi({
  types: [['b', 'bool']],
  structs: [
    { name: VERSION, fields: Array.from({ length: 49_000 }, () => ['', 'b']) },
    {
      name: 'use',
      fields: [
        ['version', 'uint8'],
        ['rest', `${VERSION}$`],
      ],
    },
  ],
  actions: [['use', 'use']],
});

/** The same with another name in it: to every cache another ABI. */
function costlyAbiOf(version: number): Buffer {
  const abi = Buffer.from(costlyAbi);
  const name = VERSION.slice(0, -3) + String(version).padStart(3, '0');
  for (let at = abi.indexOf(VERSION); at >= 0; at = abi.indexOf(VERSION, at + 1)) abi.write(name, at);
  return abi;
}

/** Each ABI is used once, by three bytes: the last two make the struct of 49,000 fields compile and fail. */
const abiSwap: Attack = {
  name: 'abi-swap',
  aim: '300 ABIs of 147 KB set one after the other, each used once: one page needs them all',
  accounts: ['habiswap'],
  write(chain) {
    for (let block = 0; block < 3; block++) {
      const transactions = Array.from({ length: 100 }, (_, index) => ({
        compressed: true,
        actions: [
          setabi('habiswap', costlyAbiOf(block * 100 + index)),
          call('habiswap', 'use', Buffer.from([1, 1, 1]), { expected: 'undecodable' as const }),
        ],
      }));
      chain.block({ transactions });
    }
  },
};

/** Different ABIs of many accounts in one block: no cache by account helps. */
const abiCrowd: Attack = {
  name: 'abi-crowd',
  aim: '100 accounts with an ABI of 147 KB each notify one another in one block',
  accounts: ['hcrowd', 'hcrowd111'],
  write(chain) {
    const names = accountNames('hcrowd', 100);
    const set = names.map((name, index) => ({ compressed: true, actions: [setabi(name, costlyAbiOf(index))] }));
    chain.block({ transactions: set });
    const data = Buffer.from([1, 1, 1]);
    const calls = names.map((name) => call(name, 'use', data, { notified: ['hcrowd'], expected: 'undecodable' }));
    chain.block({ transactions: [{ actions: calls }] });
  },
};

/** Reading such an ABI and checking it cost as much as one that is valid; nothing is left to remember but that it is none. */
const abiBroken: Attack = {
  name: 'abi-broken',
  aim: '100 ABIs of 147 KB, set one after the other, whose last byte is missing or whose last action has an unknown type',
  accounts: ['hbroken'],
  write(chain) {
    const transactions = Array.from({ length: 100 }, (_, index) => {
      const abi = costlyAbiOf(index);
      const broken = index % 2 === 0 ? abi.subarray(0, -8) : abi.fill('x', abi.lastIndexOf('use'));
      return {
        compressed: true,
        actions: [
          setabi('hbroken', broken),
          call('hbroken', 'use', Buffer.from([1]), { expected: 'undecodable' as const }),
        ],
      };
    });
    chain.block({ transactions });
  },
};

/** Near the 50,000 entries that are read: as many names to remember as can be, and more entries than that. */
const abiEntries: Attack = {
  name: 'abi-entries',
  aim: 'ABIs of 46,000 typedefs and of 50,010 entries',
  accounts: ['hentries', 'hentriesmore'],
  write(chain) {
    const types = shortNames(46_000, 3).map((name): [string, string] => [name, 'bool']);
    writeAbi(chain, 'hentries', abiOfUse([['x', '000']], { types }));
    chain.block({
      transactions: [{ actions: uses('hentries', Buffer.from([1]), 3, { expected: mayDecode({ x: 1 }) }) }],
    });
    const fields = Array.from({ length: 50_000 }, (): [string, string] => ['', 'bool']);
    writeAbi(chain, 'hentriesmore', abiOfUse([['x', 'bool']], { structs: [{ name: 'more', fields }] }));
    chain.block({
      transactions: [{ actions: uses('hentriesmore', Buffer.from([1]), 3, { expected: 'undecodable' }) }],
    });
  },
};

/** Type names that are long to take apart, and error messages that are never used. */
const abiTypeNames: Attack = {
  name: 'abi-type-names',
  aim: 'type names of 60 KB made of suffixes; 20,000 error messages',
  accounts: ['htypenames'],
  write(chain) {
    const long = (text: string): string => text.repeat(60_000 / text.length);
    const suffixes = ['[]', '?', '[1]', '[', ']', '[9999999999]', '$'];
    for (const suffix of suffixes) {
      const fields: [string, string][] = Array.from({ length: 3 }, (_, index) => [`f${index}`, `bool${long(suffix)}`]);
      writeAbi(chain, 'htypenames', { structs: [{ name: 'use', fields }], actions: [['use', 'use']] });
      const actions = uses('htypenames', Buffer.alloc(64, 1), 5, { expected: 'undecodable' });
      chain.block({ transactions: [{ actions }] });
    }
    const errors = Array.from({ length: 20_000 }, (_, code): [number, string] => [code, '']);
    writeAbi(chain, 'htypenames', {
      structs: [{ name: 'use', fields: [['x', 'bool']] }],
      actions: [['use', 'use']],
      errors,
    });
    const actions = uses('htypenames', Buffer.from([1]), 5, { expected: decodes({ x: 1 }) });
    chain.block({ transactions: [{ actions }] });
  },
};

export const ABI_SIZE_ATTACKS = [bases, lineage, abiSwap, abiCrowd, abiBroken, abiEntries, abiTypeNames];
