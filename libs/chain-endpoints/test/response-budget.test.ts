import type { GetChainBlockResponse } from '@antelope-history/chain-routes';
import {
  blockAt,
  makeDecoders,
  readRecordedChain,
  received,
  runSteps,
  storedBlockOf,
} from '@antelope-history/endpoint-testing';
import { type AbiDecoders, ResponseBudget } from '@antelope-history/responses';
import { readReceipts } from '@antelope-history/ship';
import type { StoredBlock } from '@antelope-history/store';
import { renderBlock } from '../src/get-block-response';

const MIB = 1024 * 1024;
const MAX_BYTES = 32 * MIB;
/** Without signatures, compression and context-free data. */
const PLAIN = Buffer.from([0, 0, 0]);
const TRANSACTION_HEADER = Buffer.alloc(13);
/** Status, times, and the alternative that holds a packed transaction. */
const RECEIPT_HEADER = Buffer.from([0, 0, 0, 0, 0, 0, 1]);

function varuint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

const withLength = (bytes: Buffer): Buffer => Buffer.concat([varuint(bytes.length), bytes]);

const NO_EXTENSIONS = Buffer.from([0]);

/** An action without authorizations, whose data is a blob of so many bytes. */
function actionOf(bytes: number): Buffer {
  return Buffer.concat([nameA, nameA, Buffer.from([0]), withLength(withLength(Buffer.alloc(bytes, 1)))]);
}

/** The receipt of a transaction of one action, after context-free ones of so many bytes each. */
function receiptOf(bytes: number, extensions = NO_EXTENSIONS, contextFree: readonly number[] = []): Buffer {
  const actions = [varuint(contextFree.length), ...contextFree.map(actionOf), varuint(1), actionOf(bytes)];
  const packed = Buffer.concat([TRANSACTION_HEADER, ...actions, extensions]);
  return Buffer.concat([RECEIPT_HEADER, PLAIN, withLength(packed)]);
}

/** The name `a`, packed. */
const nameA = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x30]);

describe('a block', () => {
  const chain = readRecordedChain('leap-edge');
  const decoders = makeDecoders('a', 'bytes');

  /** An empty block of the recording with other receipts: their list and that of extensions are its last two bytes. */
  function blockWith(receipts: readonly Buffer[]): StoredBlock {
    const stored = [...chain.blocks.keys()]
      .map((num) => storedBlockOf(blockAt(chain, num)))
      .find(({ block }) => readReceipts(block).length === 0) as StoredBlock;
    const block = Buffer.concat([
      stored.block.subarray(0, -2),
      varuint(receipts.length),
      ...receipts,
      Buffer.from([0]),
    ]);
    return { ...stored, block };
  }

  const render = (receipts: readonly Buffer[], by: AbiDecoders) =>
    received<GetChainBlockResponse>(runSteps(renderBlock(blockWith(receipts), by, new ResponseBudget())));

  const isDecoded = ({ trx }: GetChainBlockResponse['transactions'][number]): boolean =>
    typeof trx === 'object' && typeof trx.transaction.actions[0]?.data === 'object';

  it('stays within the bytes of a response, of which its packed transactions take a part', () => {
    const { body, bytes } = render([receiptOf(6 * MIB)], decoders);
    expect(body.transactions).toHaveLength(1);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('leaves out a transaction extension of an unknown type', () => {
    // One extension of type 7, without data.
    const { body } = render([receiptOf(10, Buffer.from([1, 7, 0, 0])), receiptOf(10)], decoders);
    const [extended, plain] = body.transactions.map(({ trx }) => typeof trx === 'object' && trx.transaction);
    expect(Object.keys(extended || {})).toEqual(Object.keys(plain || {}));
  });

  it('leaves context-free actions undecoded where the action after them would be left out', () => {
    // Decoded, each byte takes six characters, and two more in hex.
    const receipt = receiptOf(2.5 * MIB, NO_EXTENSIONS, [MIB / 2, MIB / 2, MIB / 2, MIB / 2]);
    const { body } = render([receipt], makeDecoders('a', 'string'));
    const [trx] = body.transactions.map(({ trx }) => (typeof trx === 'object' ? trx.transaction : undefined));
    expect(trx?.context_free_actions.map(({ data }) => typeof data)).toContain('object');
    expect(trx?.actions.map(({ data }) => typeof data === 'string' && data.length)).toEqual([2 * (2.5 * MIB + 4)]);
  });

  it('has all data decoded that fit, however much is reserved for what follows', () => {
    const { body } = render(
      Array.from({ length: 16 }, () => receiptOf(200 * 1024)),
      decoders,
    );
    expect(body.transactions.map(isDecoded)).toEqual(Array.from({ length: 16 }, () => true));
  });
});
