import { AbiHistory, isSame, shownData } from './abi-history';
import { PermissionState } from './permission-state';
import { actionTraces, executedTraces, sequenceOf, type RecordedBlock } from './recorded-block';
import type { RecordedChain } from './recorded-chain';
import type { ShipTransactionTrace } from './ship-types';

/** A transaction with its block. */
export interface TransactionOfBlock {
  block: RecordedBlock;
  trace: ShipTransactionTrace;
}

/** The data of the orphaned blocks of a recording. */
export class LosingBranches {
  /** Ids of the transactions that only orphaned blocks have. */
  readonly lostTransactions: ReadonlySet<string>;
  /** Transactions of both branches, in their surviving blocks. */
  readonly sharedTransactions: readonly TransactionOfBlock[];
  readonly lostBlocks: ReadonlySet<string>;
  /** The permissions that orphaned blocks set. */
  readonly permissions = new PermissionState();
  private readonly abis: AbiHistory;

  constructor(private readonly chain: RecordedChain) {
    const { orphans } = chain;
    const orphaned = new Set(transactionsOf(orphans).map(({ trace }) => trace.id));
    const surviving = transactionsOf(chain.blocks.values());
    this.sharedTransactions = surviving.filter(({ trace }) => orphaned.has(trace.id));
    const shared = new Set(this.sharedTransactions.map(({ trace }) => trace.id));
    this.lostTransactions = new Set([...orphaned].filter((id) => !shared.has(id)));
    this.lostBlocks = new Set(orphans.map(({ id }) => id));
    for (const { permissions } of orphans) this.permissions.apply(permissions);
    this.abis = new AbiHistory(orphans);
  }

  /** Accounts that received actions of orphaned blocks, that these blocks created, or whose permissions they changed. */
  accounts(): string[] {
    const names = this.chain.orphans.flatMap((block) => [
      ...executedTraces(block)
        .flatMap(actionTraces)
        .map(({ receiver }) => receiver),
      ...block.accounts.map(({ name }) => name),
      ...block.permissions.map(({ row }) => row.owner),
    ]);
    return [...new Set(names)];
  }

  /** Surviving transactions whose data would differ under an ABI that only a losing branch set. */
  misreadTransactions(): TransactionOfBlock[] {
    return transactionsOf(this.chain.blocks.values()).filter((transaction) => this.isMisread(transaction));
  }

  private isMisread({ block, trace }: TransactionOfBlock): boolean {
    return actionTraces(trace).some((action) => {
      const { account, name, data } = action.act;
      const inForce = this.chain.abis.inForce(account, { blockNum: block.num, sequence: sequenceOf(action) });
      const shown = shownData(inForce, name, data);
      return this.abis.versionsOf(account).some((decoder) => !isSame(shownData(decoder, name, data), shown));
    });
  }
}

/** The executed transactions of blocks. */
export function transactionsOf(blocks: Iterable<RecordedBlock>): TransactionOfBlock[] {
  return [...blocks].flatMap((block) => executedTraces(block).map((trace) => ({ block, trace })));
}
