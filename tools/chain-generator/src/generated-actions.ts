import type { Random } from '@antelope-history/test-support/random';
import type { Authority, ChainState } from './chain-state';
import { type ContractAbi, memoField } from './contract-abi';
import type { ActionSpec } from './generated-block';
import { printedKey } from './keys';

/** The actions of the generated contracts, with their data packed and as nodes print them. */

/** 64-bit numbers above are printed as strings (fc/src/variant.cpp). */
const MAX_NUMBER = 0xffffffff;

function specOf(
  abi: ContractAbi | undefined,
  account: string,
  name: string,
  values: object,
  json: object,
  actor: string,
): ActionSpec {
  const data = abi?.types ? abi.types.pack(name, values) : Buffer.from(JSON.stringify(values));
  return { account, name, authorization: [{ actor, permission: 'active' }], data, json: abi?.types && json };
}

export function transfer(state: ChainState, from: string, to: string, random: Random): ActionSpec {
  const abi = state.abis.get('eosio.token');
  const amount = 1 + random(1_000_000);
  const values = {
    from,
    to,
    quantity: `${Math.floor(amount / 10_000)}.${String(amount % 10_000).padStart(4, '0')} SYS`,
    [memoField(abi?.version ?? 1)]: ['', 'lunch', 'été "quoted" \\ \u0001', 'x'.repeat(200)][random(4)],
  };
  const spec = specOf(abi, 'eosio.token', 'transfer', values, values, from);
  return {
    ...spec,
    notified: [{ receiver: from }, ...(to === from ? [] : [{ receiver: to }])],
    ramDeltas:
      random(3) === 0
        ? [
            { account: from, delta: -240 },
            { account: to, delta: 240 },
          ]
        : [],
  };
}

/** `play` of a contract that follows `gameAbi`. Its return value is typed by the ABI. */
export function play(
  state: ChainState,
  account: string,
  player: string,
  random: Random,
  more: Partial<ActionSpec> = {},
): ActionSpec {
  const abi = state.abis.get(account);
  const version = abi?.version ?? 0;
  const round = version % 2 === 0 && random(2) === 0 ? 5_000_000_000 + random(1000) : random(MAX_NUMBER);
  const note = `note ${random(1000)}`;
  const values = { player, [`round${version}`]: round, [`note${version}`]: note };
  const printed = round > MAX_NUMBER ? String(round) : round;
  // The fields are printed in the order of the ABI; the comparison does not depend on it.
  const spec = specOf(abi, account, 'play', values, { ...values, [`round${version}`]: printed }, player);
  if (random(3) > 0) return { ...spec, ...more };
  const score = random(100_000);
  const packed = Buffer.alloc(4);
  packed.writeUInt32LE(score);
  return { ...spec, ...more, returnValue: { packed, json: abi?.types && score }, console: random(2) ? 'played ☃' : '' };
}

export function log(state: ChainState, account: string, text: string): ActionSpec {
  const abi = state.abis.get(account);
  const values = { [`entry${abi?.version ?? 0}`]: text };
  return specOf(abi, account, 'log', values, values, account);
}

/** An action of a contract without an ABI. */
export function plain(account: string, actor: string, random: Random): ActionSpec {
  const data = Buffer.from(Array.from({ length: random(40) }, () => random(256)));
  return { account, name: 'run', authorization: [{ actor, permission: 'active' }], data, json: undefined };
}

export function setAbi(state: ChainState, account: string, abi: ContractAbi): ActionSpec {
  const values = { account, abi: abi.bytes };
  const json = { account, abi: abi.bytes.toString('hex') };
  const spec = specOf(state.abis.get('eosio'), 'eosio', 'setabi', values, json, account);
  return { ...spec, effect: (at) => at.setAbi(account, abi) };
}

export function updateAuth(state: ChainState, owner: string, name: string, auth: Authority): ActionSpec {
  const parent = name === 'active' ? 'owner' : 'active';
  const values = { account: owner, permission: name, parent, auth };
  const json = { ...values, auth: printedAuthority(auth) };
  const spec = specOf(state.abis.get('eosio'), 'eosio', 'updateauth', values, json, owner);
  return { ...spec, effect: (at) => at.setPermission({ owner, name, parent, auth }) };
}

export function deleteAuth(state: ChainState, owner: string, name: string): ActionSpec {
  const values = { account: owner, permission: name };
  const spec = specOf(state.abis.get('eosio'), 'eosio', 'deleteauth', values, values, owner);
  return { ...spec, effect: (at) => at.deletePermission({ owner, name }) };
}

export function newAccount(state: ChainState, creator: string, name: string, auth: Authority): ActionSpec {
  const values = { creator, name, owner: auth, active: auth };
  const json = { ...values, owner: printedAuthority(auth), active: printedAuthority(auth) };
  const spec = specOf(state.abis.get('eosio'), 'eosio', 'newaccount', values, json, creator);
  return {
    ...spec,
    effect: (at) => {
      at.setPermission({ owner: name, name: 'owner', parent: '', auth });
      at.setPermission({ owner: name, name: 'active', parent: 'owner', auth });
    },
  };
}

function printedAuthority(auth: Authority): object {
  return { ...auth, keys: auth.keys.map(({ key, weight }) => ({ key: printedKey(key), weight })) };
}
