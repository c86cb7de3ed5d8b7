import { abiOfUse } from '../hostile-abi';
import { call, setabi } from '../hostile-chain';
import type { PermissionLevel, TransactionSpec } from '../specs';
import { accountNames, inTransactions, mayDecode, uses, writeAbi, type Attack } from './attack';

/** Much data, and data that are given many times. */

const KIB = 1024;
/** As long as a decoding of 16,384 items allows. */
const ITEM_NAME = 'i'.repeat(230);

function blobOf(size: number): Buffer {
  const head = Buffer.from([(size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14]);
  return Buffer.concat([head, Buffer.alloc(size, 0x5a)]);
}

const manyActions: Attack = {
  name: 'many-actions',
  aim: '250 actions of 16 KB in one block; 250 whose items print 240 bytes per byte in another',
  accounts: ['hbulk'],
  write(chain) {
    const item = { name: 'item', fields: [[ITEM_NAME, 'uint8'] as [string, string]] };
    writeAbi(chain, 'hbulk', {
      structs: [
        { name: 'blob', fields: [['blob', 'bytes']] },
        item,
        { name: 'items', fields: [['items', 'item[]']] },
        { name: 'flags', fields: [['flags', 'bool[]']] },
      ],
      actions: [
        ['blob', 'blob'],
        ['items', 'items'],
        ['flags', 'flags'],
      ],
    });
    const blob = blobOf(16 * KIB);
    for (const name of ['blob', 'items', 'flags']) {
      const expected = expectedOf(name, blob);
      const actions = Array.from({ length: 250 }, () => call('hbulk', name, blob, { expected }));
      // The chain takes 1 MiB of a block: they are compressed.
      const transactions = inTransactions(actions, 25).map((each) => ({ ...each, compressed: true }));
      chain.block({ transactions });
    }
  },
};

function expectedOf(name: string, blob: Buffer): ReturnType<typeof mayDecode> {
  const bytes = [...blob.subarray(3)];
  if (name === 'blob') return mayDecode({ blob: blob.subarray(3).toString('hex') });
  if (name === 'flags') return mayDecode({ flags: bytes });
  return mayDecode({ items: bytes.map((byte) => ({ [ITEM_NAME]: byte })) });
}

const notifications: Attack = {
  name: 'notifications',
  aim: '150 notifications: of 64 bytes that print 4 MB, and of 64 KB',
  accounts: ['hnotify', 'hwatch111'],
  write(chain) {
    const others = { structs: [{ name: 'item', fields: [['f'.repeat(65_000), 'uint8'] as [string, string]] }] };
    writeAbi(chain, 'hnotify', abiOfUse([['items', 'item[]']], others));
    const watchers = accountNames('hwatch', 150);
    const small = Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 7)]);
    chain.block({ transactions: [{ actions: [call('hnotify', 'use', small, { notified: watchers })] }] });
    const large = Buffer.alloc(64 * KIB, 7);
    chain.block({ transactions: [{ actions: [call('hnotify', 'other', large, { notified: watchers })] }] });
  },
};

/** Not even the hex fits: 40 times 512 KB, given twice each. */
const largeNotified: Attack = {
  name: 'large-notified',
  aim: '40 notifications of an action of 500 KB that no ABI decodes',
  accounts: ['hlarge', 'hwatch112'],
  write(chain) {
    const data = Buffer.alloc(500 * KIB, 0xa5);
    const notified = accountNames('hwatch', 40);
    chain.block({ transactions: [{ actions: [call('hlarge', 'use', data, { notified, expected: 'undecodable' })] }] });
  },
};

/** `max_inline_action_size` is 512 KB on the large chains (4 KB by default). */
const inlineTree: Attack = {
  name: 'inline-tree',
  aim: 'one transaction with 100 inline actions of 500 KB, ten of them notified',
  accounts: ['hinline', 'hwatch113'],
  write(chain) {
    writeAbi(chain, 'hinline', abiOfUse([['blob', 'bytes']]));
    const data = blobOf(500 * KIB);
    const expected = mayDecode({ blob: data.subarray(3).toString('hex') });
    const inline = Array.from({ length: 100 }, (_, index) =>
      call('hinline', 'use', data, { expected, notified: index < 10 ? ['hwatch113'] : [] }),
    );
    chain.block({ transactions: [{ actions: [call('hinline', 'start', Buffer.alloc(1), { inline })] }] });
  },
};

/** 1,500 levels of authorization take 24 KB, so that a trace stays within what gzip looks back to. */
const authorizations: Attack = {
  name: 'authorizations',
  aim: '1,500 authorizations of an action with 450 notifications, and of 40 actions',
  accounts: ['hauths', 'hwatch114', 'hactorlon111'],
  write(chain) {
    const actors = accountNames('hactorlon', 100);
    const authorization: PermissionLevel[] = accountNames('permissio', 15).flatMap((permission) =>
      actors.map((actor) => ({ actor, permission })),
    );
    const action = { account: 'hauths', name: 'use', data: Buffer.alloc(8), authorization };
    chain.block({ transactions: [{ actions: [{ ...action, notified: accountNames('hwatch', 450) }] }] });
    chain.block({
      transactions: inTransactions(
        Array.from({ length: 40 }, () => action),
        20,
      ),
    });
  },
};

/** Several thousand actions with little in each: what is given besides the data. */
const smallActions: Attack = {
  name: 'small-actions',
  aim: '12,000 empty actions in one block, in 12 transactions',
  accounts: ['hsmall'],
  write(chain) {
    const actions = uses('hsmall', Buffer.alloc(0), 12_000, { expected: 'undecodable' });
    chain.block({ transactions: inTransactions(actions, 1000) });
  },
};

const consoles: Attack = {
  name: 'consoles',
  aim: '1 MB of console output, invalid UTF-8 or control characters, on each of 12 receivers; 8,000 RAM deltas',
  accounts: ['hconsole', 'hwatch115'],
  write(chain) {
    const notified = accountNames('hwatch', 12);
    for (const byte of [0x01, 0xff, 0xe2]) {
      const console = Buffer.alloc(KIB * KIB, byte);
      chain.block({ transactions: [{ actions: [call('hconsole', 'use', Buffer.alloc(1), { console, notified })] }] });
    }
    const mixed = Buffer.from('\u0000"\\\u001f').toString('latin1').repeat(50_000);
    const console = Buffer.concat([Buffer.from([0xc3]), Buffer.from(mixed, 'latin1'), Buffer.from([0xed, 0xa0, 0x80])]);
    const ramDeltas = accountNames('hram', 8000);
    chain.block({ transactions: [{ actions: [call('hconsole', 'use', Buffer.alloc(1), { console, ramDeltas })] }] });
  },
};

/** What an action returns is typed by the ABI, too; the default limit on it is 256 bytes. */
const results: Attack = {
  name: 'results',
  aim: '200 actions return 256 bytes that print a name of 60 KB per byte',
  accounts: ['hresults'],
  write(chain) {
    writeAbi(chain, 'hresults', {
      structs: [
        { name: 'use', fields: [['x', 'uint8']] },
        { name: 'item', fields: [['\u0001'.repeat(60_000), 'uint8']] },
        { name: 'result', fields: [['items', 'item[]']] },
      ],
      actions: [['use', 'use']],
      results: [['use', 'result']],
    });
    const returnValue = Buffer.from([60, ...Array.from({ length: 60 }, () => 9)]);
    const actions = uses('hresults', Buffer.from([1]), 200, { returnValue, expected: mayDecode({ x: 1 }) });
    const transactions: TransactionSpec[] = inTransactions(actions, 50);
    chain.block({ transactions });
  },
};

/** The rows of `eosio`, who is asked for more than any other, hold the ABIs. */
const largeAbis: Attack = {
  name: 'large-abis',
  aim: '60 ABIs of 500 KB, set in one block: data of `eosio::setabi`',
  accounts: ['hlargeabi', 'eosio'],
  write(chain) {
    const transactions = Array.from({ length: 60 }, (_, index) => ({
      compressed: true,
      actions: [setabi('hlargeabi', Buffer.alloc(500 * KIB, index))],
    }));
    chain.block({ transactions });
    writeAbi(chain, 'hlargeabi', Buffer.alloc(0));
    chain.block({ transactions: [{ actions: uses('hlargeabi', Buffer.from([1]), 3, { expected: 'undecodable' }) }] });
  },
};

export const BULK_ATTACKS = [
  manyActions,
  notifications,
  largeNotified,
  inlineTree,
  authorizations,
  smallActions,
  consoles,
  results,
  largeAbis,
];
