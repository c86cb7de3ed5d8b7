import { GAMES, USERS } from './block-content';
import { ChainState } from './chain-state';
import { gameAbi, SYSTEM_ABI, tokenAbi } from './contract-abi';
import { k1Key } from './keys';

const SYSTEM_ACCOUNTS = ['eosio', 'eosio.token', 'eosio.null', 'raw', ...GAMES];

/** The state with which a chain begins. */
export function genesisState(firstSequence: number): ChainState {
  const state = new ChainState();
  state.globalSequence = firstSequence;
  state.setAbi('eosio', SYSTEM_ABI);
  state.setAbi('eosio.token', tokenAbi(1));
  state.setAbi('game', gameAbi(1));
  for (const [index, owner] of [...SYSTEM_ACCOUNTS, ...USERS].entries()) {
    const auth = { threshold: 1, keys: [{ key: k1Key(index % 5), weight: 1 }], accounts: [], waits: [] };
    state.setPermission({ owner, name: 'owner', parent: '', auth });
    state.setPermission({ owner, name: 'active', parent: 'owner', auth });
  }
  const producers = { actor: 'eosio', permission: 'active' };
  state.setPermission({
    owner: 'eosio.prods',
    name: 'active',
    parent: '',
    auth: { threshold: 1, keys: [], accounts: [{ permission: producers, weight: 1 }], waits: [] },
  });
  return state;
}
