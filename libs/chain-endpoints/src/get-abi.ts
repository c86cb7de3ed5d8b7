import type { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import { isEmptyAbi, renderAbi } from './abi-json';
import { readAccountAbi, unknownAccount } from './account-abi';
import { HeaderReader } from './block-header';

export const createGetAbi: CreateEndpoint<typeof CHAIN_ROUTES.getAbi> = ({ reader }) => {
  const headers = new HeaderReader(reader);
  return async ({ account_name, block_num }, work) => {
    const account = parseAccountName('account_name', account_name);
    const { status, abi: packed } = await readAccountAbi(reader, account, block_num);
    if (isEmptyAbi(packed)) return { body: { account_name: account } };
    const head = status.committed && (await headers.read(status.committed.id));
    await work.turn();
    const abi = renderAbi(packed, head?.generation ?? 'eosio-2.1+', work.budget.decoding);
    if (!abi) throw unknownAccount(account, 'its ABI does not decode; ask get_raw_abi for its bytes');
    return { body: { account_name: account, abi } };
  };
};
