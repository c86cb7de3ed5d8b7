import { abiOfUse } from '../hostile-abi';
import { ByteWriter } from '../byte-writer';
import { inTransactions, uses, writeAbi, type Attack } from './attack';

/** Attacks in the packed transactions of the block. */

const MIB = 1024 * 1024;

/** The chain bills a compressed transaction for its compressed bytes; it may become 1 MiB (transaction.cpp). */
const contextFreeBomb: Attack = {
  name: 'free-data-bomb',
  aim: '300 transactions of 1 KB whose context-free data become 1 MB each',
  accounts: ['hfreedata'],
  write(chain) {
    const free = { account: 'hfreedata', name: 'free', data: Buffer.alloc(1) };
    const transactions = Array.from({ length: 300 }, () => ({
      compressed: true,
      contextFreeActions: [free],
      contextFreeData: [Buffer.alloc(MIB - 16)],
      actions: uses('hfreedata', Buffer.alloc(1), 1),
    }));
    chain.block({ transactions });
  },
};

/** A delayed transaction is in the block but SHiP has no trace of it, so the message stays small. */
const delayedBomb: Attack = {
  name: 'delayed-bomb',
  aim: '300 delayed transactions of 1 KB whose one action becomes 1 MB of data',
  accounts: ['hdelayed'],
  write(chain) {
    writeAbi(chain, 'hdelayed', abiOfUse([['flags', 'uint8[]']]));
    const data = new ByteWriter()
      .varuint(MIB - 300)
      .raw(Buffer.alloc(MIB - 300, 1))
      .take();
    const [action] = uses('hdelayed', data, 1);
    const transactions = Array.from({ length: 300 }, () => ({
      compressed: true,
      status: 'delayed' as const,
      actions: action ? [action] : [],
    }));
    chain.block({ transactions });
  },
};

/** The same, with an ABI that prints 4 MB for 64 bytes: 800 actions in 800 transactions of a block. */
const delayedNames: Attack = {
  name: 'delayed-names',
  aim: '300 delayed transactions whose 64 bytes print 4 MB each',
  accounts: ['hdelnames'],
  write(chain) {
    const others = { structs: [{ name: 'item', fields: [['f'.repeat(65_000), 'uint8'] as [string, string]] }] };
    writeAbi(chain, 'hdelnames', abiOfUse([['items', 'item[]']], others));
    const data = Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 7)]);
    const transactions = inTransactions(uses('hdelnames', data, 300), 1).map((each) => ({
      ...each,
      status: 'delayed' as const,
    }));
    chain.block({ transactions });
  },
};

const executedBomb: Attack = {
  name: 'executed-bomb',
  aim: '40 executed transactions of 1 KB that become 1 MB of action data, each in the receipt and in a trace',
  accounts: ['hexecuted'],
  write(chain) {
    const data = Buffer.alloc(MIB - 300);
    const transactions = uses('hexecuted', data, 40, { expected: 'undecodable' }).map((action) => ({
      compressed: true,
      actions: [action],
    }));
    chain.block({ transactions });
  },
};

/** WebAuthn signatures carry data of the browser; up to 4,000 bytes are printed in base58. */
const signatures: Attack = {
  name: 'signatures',
  aim: '240 signatures of 4,000 bytes, and two of 400 KB, in four transactions',
  accounts: ['hsignatures'],
  write(chain) {
    const sized = (size: number): Buffer =>
      new ByteWriter().uint8(2).raw(Buffer.alloc(65, 31)).blob(Buffer.alloc(37)).blob(Buffer.alloc(size, 0x61)).take();
    const many = Array.from({ length: 120 }, () => sized(3_980));
    const actions = uses('hsignatures', Buffer.alloc(1), 1);
    chain.block({
      transactions: [
        { actions, signatures: many },
        { actions, signatures: many },
      ],
    });
    chain.block({
      transactions: [
        { actions, signatures: [sized(400_000)] },
        { actions, signatures: [sized(400_000)] },
      ],
    });
  },
};

/** Encodings that nodeos accepts although it writes others: it hashes and runs the decoded values (fc/io/raw.hpp). */
const trailing: Attack = {
  name: 'trailing',
  aim: 'bytes after the end of the transaction and of the compressed stream; extensions; an empty transaction extension',
  accounts: ['htrailing'],
  write(chain) {
    const actions = uses('htrailing', Buffer.from([1, 2, 3]), 2, { expected: 'undecodable' });
    const garbage = Buffer.alloc(200_000, 0xee);
    chain.block({
      transactions: [
        { actions, trailing: garbage },
        { actions, trailing: garbage, compressed: true },
        { actions, afterStream: Buffer.alloc(1000, 0x78), compressed: true },
        // Current nodes reject unknown extension types, but a later version may accept more of them.
        { actions, extensions: Array.from({ length: 2000 }, (_, type) => ({ type, data: Buffer.alloc(20, 1) })) },
      ],
    });
  },
};

export const PACKED_ATTACKS = [contextFreeBomb, delayedBomb, delayedNames, executedBomb, signatures, trailing];
