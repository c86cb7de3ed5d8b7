import { AbiHistory, isSame, shownData } from './abi-history';
import { PermissionState } from './permission-state';
import { actionTraces, executedTraces, sequenceOf, type RecordedBlock } from './recorded-block';
import type { RecordedChain } from './recorded-chain';
import type { ShipTransactionTrace } from './ship-types';

export interface PlacedTransaction {
  block: RecordedBlock;
  trace: ShipTransactionTrace;
}

/** What the orphaned blocks of a recording held, apart from what survived. */
export class LosingBranches {
  /** Ids of transactions that only orphaned blocks have. */
  readonly lostTransactions: ReadonlySet<string>;
  /** Transactions of both branches, as they survived. */
  readonly sharedTransactions: readonly PlacedTransaction[];
  readonly lostBlocks: ReadonlySet<string>;
  /** The permissions that the orphaned blocks set. */
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

  /** Accounts that an orphaned block's actions went to, or that it created or gave a permission. */
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

  /** Transactions that survived and would show other data under an ABI that was only set on a losing branch. */
  misreadTransactions(): PlacedTransaction[] {
    return transactionsOf(this.chain.blocks.values()).filter((transaction) => this.isMisread(transaction));
  }

  private isMisread({ block, trace }: PlacedTransaction): boolean {
    return actionTraces(trace).some((action) => {
      const { account, name, data } = action.act;
      const inForce = this.chain.abis.inForce(account, { blockNum: block.num, sequence: sequenceOf(action) });
      const shown = shownData(inForce, name, data);
      return this.abis.versionsOf(account).some((decoder) => !isSame(shownData(decoder, name, data), shown));
    });
  }
}

/** The transactions that took effect in some blocks. */
export function transactionsOf(blocks: Iterable<RecordedBlock>): PlacedTransaction[] {
  return [...blocks].flatMap((block) => executedTraces(block).map((trace) => ({ block, trace })));
}
