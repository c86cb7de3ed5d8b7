import { readAuthorizers, readChainBlocks, readUsedAccounts } from '@antelope-history/test-support/recordings';

/** Names, keys and ids of a recorded chain, so that generated requests find data. */
export interface ChainFacts {
  names: string[];
  keys: string[];
  blockIds: string[];
  transactionIds: string[];
}

export function readChainFacts(folder: string): ChainFacts {
  const { names } = readUsedAccounts(folder);
  const { keys, accounts } = readAuthorizers(folder);
  const blocks = [...readChainBlocks(folder)].map(({ body }) => JSON.parse(body) as RecordedBlock);
  return {
    names: [...new Set([...names, ...Object.keys(accounts), 'eosio', 'eosio.token', 'badabi'])],
    keys: Object.keys(keys),
    blockIds: blocks.map(({ id }) => id),
    transactionIds: blocks.flatMap(({ transactions }) =>
      transactions.map(({ trx }) => (typeof trx === 'string' ? trx : trx.id)),
    ),
  };
}

interface RecordedBlock {
  id: string;
  transactions: { trx: string | { id: string } }[];
}
