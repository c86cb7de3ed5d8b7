import { hasErrorCode } from '@antelope-history/schemas';
import {
  hasContextFreeActions,
  readPackedTransaction,
  readTransactionId,
  type TransactionReceipt,
  unpackTransaction,
} from '@antelope-history/ship';
import type { BlockFault, ProvableTransaction } from './prove-block';

/** Status of a receipt whose transaction was executed under its own id; that of a failed deferred one is of `onerror`. */
const EXECUTED = 0;
const DELAYED = 3;

/** Compares the recorded transactions of one block with its receipts. */
export class TransactionCheck {
  /** `unpackableBytes`: how many bytes compressed transactions may have in all, see `BlockProver`. */
  constructor(
    private readonly receipts: TransactionReceipt[],
    private unpackableBytes: number,
  ) {}

  /** Each executed receipt has a transaction, with its id. */
  *faults(transactions: ProvableTransaction[]): Generator<BlockFault> {
    const recorded = new Map(transactions.map((each) => [each.receiptIndex, each]));
    for (const [index, receipt] of this.receipts.entries()) {
      if (receipt.status !== EXECUTED) continue;
      const transaction = recorded.get(index);
      if (!transaction) {
        yield { code: 'missing_transaction', detail: `receipt ${index} was executed, but has no transaction` };
        continue;
      }
      const id = this.idOf(receipt);
      if (id === undefined || id === transaction.id) continue;
      yield { code: 'transaction_id', detail: `receipt ${index} is of ${id}, not of ${transaction.id}` };
    }
  }

  /** Whether a receipt stands, or may stand, for actions that are no part of the history, see `BlockProof.areActionsProved`. */
  hasUnrecordedActions(): boolean {
    return this.receipts.some(
      ({ status, transaction }) =>
        status === DELAYED && !('id' in transaction) && this.read(transaction.packed, hasContextFreeActions) !== false,
    );
  }

  private idOf({ transaction }: TransactionReceipt): string | undefined {
    return 'id' in transaction ? transaction.id : this.read(transaction.packed, readTransactionId);
  }

  /**
   * Undefined beyond `unpackableBytes`, and for contents that only the chain's own decoder accepts. The root of the
   * transactions covers the bytes of both.
   */
  private read<T>(packed: Buffer, readFrom: (transaction: Buffer) => T): T | undefined {
    const parts = readPackedTransaction(packed);
    if (parts.compressed && this.unpackableBytes <= 0) return undefined;
    try {
      const transaction = unpackTransaction(parts);
      if (parts.compressed) this.unpackableBytes -= transaction.length;
      return readFrom(transaction);
    } catch (error) {
      if (hasErrorCode(error, 'DECODE_FAILED')) return undefined;
      throw error;
    }
  }
}
