import { createHash } from 'node:crypto';
import { ByteReader } from '@antelope-history/abi';
import type { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type CreateEndpoint, parseAccountName, readOneBranch } from '@antelope-history/endpoint-kit';
import type { ActionsPage, ActionsQuery, HistoryReader, StoredAction } from '@antelope-history/store';
import { tryAccountAbi } from './account-abi';

const NO_CODE = '0'.repeat(64);
/** Actions looked at for the code of an account: others that it authorised may have set the code of other accounts. */
const MAX_SETCODES = 8;

export const createGetRawAbi: CreateEndpoint<typeof CHAIN_ROUTES.getRawAbi> = ({ reader }) => {
  return async ({ account_name, abi_hash: knownHash, block_num }, work) => {
    const account = parseAccountName('account_name', account_name);
    const { abi, codeHash } = await readAbiAndCode(reader, account, block_num);
    await work.turn();
    const abiHash = sha256(abi);
    return {
      body: {
        account_name: account,
        code_hash: codeHash,
        abi_hash: abiHash,
        abi: knownHash === abiHash ? undefined : abi.toString('base64'),
      },
    };
  };
};

/** The ABI and the hash of the code, both from one branch of the chain. Rejects as `readAccountAbi` does. */
function readAbiAndCode(reader: HistoryReader, account: string, blockNum: number | undefined) {
  return readOneBranch(async () => {
    const found = await tryAccountAbi(reader, account, blockNum);
    if (!found) return undefined;
    const page = await reader.getActions(setcodesOf(account, found.blockNum));
    if (page.status.revision !== found.status.revision) return undefined;
    return { abi: found.abi, codeHash: codeHashIn(page, account) };
  });
}

/**
 * The hash of the code that the latest `setcode` set: only the account itself can authorise it (nodeos eosio_contract.cpp,
 * apply_eosio_setcode). Undefined if the code can be older than the first block.
 */
function codeHashIn({ status, rows, more }: ActionsPage, account: string): string | undefined {
  const code = rows.map(readSetcode).find((set) => set.account === account)?.code;
  if (code) return code.length === 0 ? NO_CODE : sha256(code);
  return status.firstBlockNum === 1 && !more ? NO_CODE : undefined;
}

/** Newest first. */
function setcodesOf(account: string, blockNum: number): ActionsQuery {
  return {
    account,
    filters: [{ account: 'eosio', name: 'setcode' }],
    data: [],
    after: undefined,
    before: { blockNum },
    parent: undefined,
    order: 'desc',
    skip: 0,
    limit: MAX_SETCODES,
    window: 'skip',
  };
}

/** The account and the code of a `setcode`: account, type and version of the virtual machine, code. */
function readSetcode({ action: { data } }: StoredAction): { account: string; code: Buffer } {
  const reader = new ByteReader(data);
  const account = reader.name();
  reader.uint16();
  return { account, code: reader.lengthPrefixed() };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
