import { writeName } from '@antelope-history/abi';

/** The data fields that stores under test index; most are of contracts of generated chains, two of recorded ones. */
export const CONTRACT_DATA_FIELDS: readonly string[] = [
  'alice:transfer.to',
  'alice:transfer.amount',
  'alice:transfer.memo',
  'eosio:transfer.to',
  'a.b:a.to',
  'eosio.token:transfer.from',
  'eosio.token:transfer.to',
];

/** Actions of generated chains whose data fits the ABIs. */
const ACTIONS = ['transfer', 'a'];
type Field = readonly [name: string, type: string];
const TO: Field = ['to', 'name'];
const AMOUNT: Field = ['amount', 'uint8'];

/** ABIs that read the same data as different values, one without the fields, one that is not valid, and the empty one. */
export const ABIS: readonly Buffer[] = [
  packAbi([TO, AMOUNT]),
  packAbi([AMOUNT, TO]),
  packAbi([['memo', 'string']]),
  Buffer.from('no ABI'),
  Buffer.alloc(0),
];

/** A text of a contract that would leave its place in a store's request, were one of its characters cut to a byte: U+0122 to a quote. */
const HOSTILE_TEXT = 'm\u00e9mo \u0122],\u0122block\u0122:\u0122"\\\n\u0000\u2028\u{1f600}';

/** Data that both orders of the fields decode, to few values, and memos, one of them too long for a term. */
export const DATA: readonly Buffer[] = [
  ...['alice', 'bob', 'zzzzzzzzzzzzj', ''].map((name) => {
    const data = Buffer.alloc(9, 1);
    writeName(name, data, 0);
    return data;
  }),
  packText(HOSTILE_TEXT),
  Buffer.concat([Buffer.from([0xc9, 0x01]), Buffer.alloc(201, 'm')]),
];

/** Packs an ABI whose actions have one struct (eosio abi_def.hpp). */
function packAbi(fields: readonly Field[]): Buffer {
  const structure = [packText('fields'), packText(''), packList(fields.map(([name, type]) => pack(name, type)))];
  const actions = ACTIONS.map((name) => {
    const packed = Buffer.alloc(8);
    writeName(name, packed, 0);
    return Buffer.concat([packed, packText('fields'), packText('')]);
  });
  const none = packList([]);
  const parts = [packText('eosio::abi/1.0'), none, packList([Buffer.concat(structure)]), packList(actions)];
  // Tables, clauses, error messages and extensions.
  return Buffer.concat([...parts, none, none, none, none]);
}

function pack(name: string, type: string): Buffer {
  return Buffer.concat([packText(name), packText(type)]);
}

/** Texts and lists are short: their lengths take one byte. */
function packText(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
}

function packList(items: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([items.length]), ...items]);
}
