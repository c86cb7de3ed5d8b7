import { packAbi, PackedTypes, type TypeDefinitions } from './packed-types';

/** An ABI as a contract sets it: bytes, and, when they are valid, how to pack the data of its actions. */
export interface ContractAbi {
  bytes: Buffer;
  /** Tells the generator which data the actions take; undefined for an ABI that decodes nothing. */
  version: number | undefined;
  types: PackedTypes | undefined;
}

type Fields = [name: string, type: string][];

interface AbiPlan {
  structs: Record<string, Fields>;
  /** Names of actions; each takes the struct of that name. */
  actions: string[];
  results?: Record<string, string>;
}

function contractAbi(version: number, { structs, actions, results = {} }: AbiPlan): ContractAbi {
  const definitions: TypeDefinitions = {
    version: 'eosio::abi/1.2',
    types: [],
    structs: Object.entries(structs).map(([name, fields]) => ({
      name,
      base: '',
      fields: fields.map(([field, type]) => ({ name: field, type })),
    })),
  };
  const bytes = packAbi({
    ...definitions,
    actions: actions.map((name) => ({ name, type: name, ricardian_contract: '' })),
    action_results: Object.entries(results).map(([name, result_type]) => ({ name, result_type })),
  });
  return { bytes, version, types: new PackedTypes(definitions) };
}

/** The ABI of `eosio`, as far as the generated actions need it; `onblock` is not part of it, so that its data stay hex. */
export const SYSTEM_ABI = contractAbi(1, {
  structs: {
    permission_level: [
      ['actor', 'name'],
      ['permission', 'name'],
    ],
    key_weight: [
      ['key', 'public_key'],
      ['weight', 'uint16'],
    ],
    permission_level_weight: [
      ['permission', 'permission_level'],
      ['weight', 'uint16'],
    ],
    wait_weight: [
      ['wait_sec', 'uint32'],
      ['weight', 'uint16'],
    ],
    authority: [
      ['threshold', 'uint32'],
      ['keys', 'key_weight[]'],
      ['accounts', 'permission_level_weight[]'],
      ['waits', 'wait_weight[]'],
    ],
    newaccount: [
      ['creator', 'name'],
      ['name', 'name'],
      ['owner', 'authority'],
      ['active', 'authority'],
    ],
    updateauth: [
      ['account', 'name'],
      ['permission', 'name'],
      ['parent', 'name'],
      ['auth', 'authority'],
    ],
    deleteauth: [
      ['account', 'name'],
      ['permission', 'name'],
    ],
    setabi: [
      ['account', 'name'],
      ['abi', 'bytes'],
    ],
  },
  actions: ['newaccount', 'updateauth', 'deleteauth', 'setabi'],
});

/** `eosio.token`; a later version renames the memo and leaves the fields that are indexed. */
export function tokenAbi(version: number): ContractAbi {
  return contractAbi(version, {
    structs: {
      transfer: [
        ['from', 'name'],
        ['to', 'name'],
        ['quantity', 'asset'],
        [memoField(version), 'string'],
      ],
    },
    actions: ['transfer'],
  });
}

export function memoField(version: number): string {
  return version === 1 ? 'memo' : `memo${version}`;
}

/** A contract whose every version names and orders its fields differently, so that a wrong version shows in every action. */
export function gameAbi(version: number): ContractAbi {
  const round: Fields = [[`round${version}`, version % 2 === 0 ? 'uint64' : 'uint32']];
  const note: Fields = [[`note${version}`, 'string']];
  return contractAbi(version, {
    structs: {
      play: [['player', 'name'], ...(version % 3 === 0 ? [...note, ...round] : [...round, ...note])],
      log: [[`entry${version}`, 'string']],
    },
    actions: ['play', 'log'],
    results: { play: 'uint32' },
  });
}

/** Bytes that are no ABI: the data of the contract's actions stay hex. */
export function garbageAbi(bytes: Buffer): ContractAbi {
  return { bytes, version: undefined, types: undefined };
}
