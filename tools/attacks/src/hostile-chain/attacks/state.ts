import { abiOfUse, packHostileAbi } from '../hostile-abi';
import { ByteWriter } from '../byte-writer';
import { call, setabi } from '../hostile-chain';
import type { PermissionSpec } from '../specs';
import { accountNames, decodes, mayDecode, uses, writeAbi, type Attack } from './attack';

/** Changes of state: changing ABIs, forks, permissions. */

const EMPTY_ABI = Buffer.alloc(0);
const NO_ABI = Buffer.from('not an ABI at all');

/** Sets a valid, an invalid, an empty and an unsupported ABI in turn and uses each. */
const abiFlips: Attack = {
  name: 'abi-flips',
  aim: 'valid, broken, empty and unsupported ABIs, set anew in each of 40 blocks',
  accounts: ['hflips'],
  write(chain) {
    for (let block = 0; block < 10; block++) {
      writeAbi(chain, 'hflips', abiOfUse([['x', 'uint8']]));
      chain.block({
        transactions: [
          { actions: uses('hflips', Buffer.from([1]), 1, { expected: decodes({ x: 1 }) }) },
          ...[NO_ABI, EMPTY_ABI, packHostileAbi({ version: 'eosio::abi/2.0' }), Buffer.alloc(4)].map((abi) => ({
            actions: [setabi('hflips', abi), call('hflips', 'use', Buffer.from([1]), { expected: 'undecodable' })],
          })),
        ],
      });
    }
  },
};

const midTransaction: Attack = {
  name: 'mid-transaction',
  aim: 'an ABI that changes three times within a transaction, and by an inline action',
  accounts: ['hmidtrx'],
  write(chain) {
    const abis = ['uint8', 'uint16', 'bool'].map((type) => abiOfUse([['x', type]]));
    const data = Buffer.from([1, 0]);
    const actions = abis.flatMap((abi) => [
      setabi('hmidtrx', abi),
      call('hmidtrx', 'use', data, { expected: decodes({ x: 1 }) }),
    ]);
    const inline = [
      setabi('hmidtrx', abiOfUse([['y', 'uint8']])),
      call('hmidtrx', 'use', data, { expected: decodes({ y: 1 }) }),
    ];
    chain.block({ transactions: [{ actions }, { actions: [call('hmidtrx', 'none', data, { inline })] }] });
  },
};

/** The orphaned block sets an ABI of large names and uses it; on the final branch the old ABI is in force. */
const orphanedAbi: Attack = {
  name: 'orphaned-abi',
  aim: 'a fork that undoes an ABI of 65 KB names and 100 actions under it',
  accounts: ['horphan'],
  write(chain) {
    const data = Buffer.from([2, 7, 7]);
    writeAbi(chain, 'horphan', abiOfUse([['kept', 'uint8[]']]));
    const before = chain.point();
    const hostile = abiOfUse([['items', 'item[]']], {
      structs: [{ name: 'item', fields: [['\u0001'.repeat(65_000), 'uint8']] }],
    });
    writeAbi(chain, 'horphan', hostile);
    chain.block({ transactions: [{ actions: uses('horphan', data, 100) }] });
    chain.goBack(before);
    const expected = decodes({ kept: [7, 7] });
    for (let block = 0; block < 3; block++) {
      chain.block({ transactions: [{ actions: uses('horphan', data, 5, { expected }) }] });
    }
  },
};

/** A hostile ABI below a fork: the fork replaces a block that uses the ABI by another that uses it. */
const replacedUse: Attack = {
  name: 'replaced-use',
  aim: 'a fork three blocks deep under an ABI of long names',
  accounts: ['hreplaced'],
  write(chain) {
    const name = '"'.repeat(65_000);
    writeAbi(
      chain,
      'hreplaced',
      abiOfUse([['items', 'item[]']], { structs: [{ name: 'item', fields: [[name, 'uint8']] }] }),
    );
    const data = Buffer.from([2, 7, 7]);
    const expected = mayDecode({ items: [{ [name]: 7 }, { [name]: 7 }] });
    const before = chain.point();
    for (let block = 0; block < 3; block++)
      chain.block({ transactions: [{ actions: uses('hreplaced', data, 50, { expected }) }] });
    chain.goBack(before);
    for (let block = 0; block < 4; block++)
      chain.block({ transactions: [{ actions: uses('hreplaced', data, 40, { expected }) }] });
  },
};

/** A key derived from a number; no account has it. */
function numberedKey(index: number): Buffer {
  const key = Buffer.alloc(34, 0x11);
  key.writeUInt8(0, 0);
  key.writeUInt8(2, 1);
  key.writeUInt32BE(index, 30);
  return key;
}

function webAuthnKey(partyBytes: number): Buffer {
  return new ByteWriter().uint8(2).raw(Buffer.alloc(33, 2)).uint8(1).blob(Buffer.alloc(partyBytes, 0x61)).take();
}

/** The key that 5,000 accounts have. */
export const SHARED_KEY = numberedKey(0);
/** The last of the keys that one permission has. */
export const CROWDED_KEY = numberedKey(5_000);
/** A WebAuthn key with the longest domain name as its relying party. */
export const LONG_KEY = webAuthnKey(253);
/** Longer than requests allow for a key; the chain accepts any length. */
export const OVERLONG_KEY = webAuthnKey(20_000);
export const SHARERS = 5_000;

const permissions: Attack = {
  name: 'permissions',
  aim: 'a permission of 5,000 keys, one key and one controller of 5,000 accounts, keys of 253 bytes and of 20 KB',
  accounts: ['hcontrol'],
  write(chain) {
    const row = (owner: string, keys: Buffer[], accounts: PermissionSpec['accounts'] = []): PermissionSpec => ({
      owner,
      name: 'active',
      parent: 'owner',
      keys,
      accounts,
    });
    const keys = Array.from({ length: 5_000 }, (_, index) => numberedKey(index + 1));
    const controller = [{ actor: 'hcontrol', permission: 'active' }];
    const sharers = accountNames('hshare', SHARERS).map((owner) => row(owner, [SHARED_KEY], controller));
    chain.block({ permissions: [row('hcrowded', keys), row('hlongkey', [LONG_KEY, OVERLONG_KEY]), ...sharers] });
    // Replaced in the next block and restored by a fork, which undoes all of it.
    const before = chain.point();
    chain.block({ permissions: [row('hcrowded', []), ...sharers.map((each) => ({ ...each, present: false }))] });
    chain.goBack(before);
    chain.block();
  },
};

export const STATE_ATTACKS = [abiFlips, midTransaction, orphanedAbi, replacedUse, permissions];
