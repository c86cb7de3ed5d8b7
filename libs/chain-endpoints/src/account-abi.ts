import { readOneBranch } from '@antelope-history/endpoint-kit';
import { HistoryError } from '@antelope-history/schemas';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';
import { unknownBlock } from './block-selector';

/** Far above the size of an ABI that fits into a transaction. */
const MAX_ABI_BYTES = 16 * 1024 * 1024;
/**
 * An account that every chain has from its genesis on, with permissions that nobody can change (nodeos controller.cpp,
 * initialize_database). So it is stored exactly if the index has the whole state of the chain: from genesis or a snapshot.
 */
const GENESIS_ACCOUNT = 'eosio.null';

/** The packed ABI of an account after a block; empty without one. */
export interface AccountAbi {
  status: ChainStatus;
  blockNum: number;
  abi: Buffer;
}

/**
 * Reads the ABI that an account has, or had after the block `blockNum`, from one branch of the chain. Throws `UNKNOWN_BLOCK`
 * for a block that is not indexed, `UNKNOWN_ACCOUNT` if there is no such account or its ABI was set before the index began,
 * `UNAVAILABLE` while the chain forks.
 */
export function readAccountAbi(
  reader: HistoryReader,
  account: string,
  blockNum: number | undefined,
): Promise<AccountAbi> {
  return readOneBranch(() => tryAccountAbi(reader, account, blockNum));
}

/** As `readAccountAbi`, but undefined when the chain forked between the reads. */
export async function tryAccountAbi(
  reader: HistoryReader,
  account: string,
  blockNum: number | undefined,
): Promise<AccountAbi | undefined> {
  const { status, exists } = await reader.hasAccount(account);
  const at = blockToRead(status, blockNum);
  const { status: later, versions } = await reader.getAbis([afterBlock(account, at)], () => false, MAX_ABI_BYTES);
  if (later.revision !== status.revision) return undefined;
  const abi = versions[0]?.bytes;
  if (!abi) await expectKnownWithoutAbi(reader, account, exists);
  return { status, blockNum: at, abi: abi ?? Buffer.alloc(0) };
}

function blockToRead({ firstBlockNum, committed }: ChainStatus, blockNum = committed?.num): number {
  if (!committed || firstBlockNum === undefined || blockNum === undefined) {
    throw new HistoryError('UNAVAILABLE', 'no block is committed yet: try again');
  }
  if (blockNum < firstBlockNum || blockNum > committed.num) throw unknownBlock(blockNum);
  return blockNum;
}

/** The position before the first action of the next block. */
function afterBlock(account: string, blockNum: number) {
  return { account, blockNum: blockNum + 1, sequence: 0 };
}

async function expectKnownWithoutAbi(reader: HistoryReader, account: string, exists: boolean): Promise<void> {
  const { exists: hasState } = await reader.hasAccount(GENESIS_ACCOUNT);
  if (exists && hasState) return;
  const reason = hasState
    ? 'the chain has no such account'
    : 'the index begins without the state of the chain, and the account has set no ABI since';
  throw unknownAccount(account, reason);
}

/** The error of the node (nodeos plugins/chain_plugin, get_abi), with the reason. */
export function unknownAccount(account: string, reason: string): HistoryError {
  return new HistoryError('UNKNOWN_ACCOUNT', `unable to retrieve account abi of ${account}: ${reason}`);
}
