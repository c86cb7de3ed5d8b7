import type { GeneratedAbi } from './generated-abi';
import type { Random } from './random';

type Change = (abi: GeneratedAbi, random: Random) => void;

const SUFFIXES = [
  '[]',
  '?',
  '$',
  '[0]',
  '[1]',
  '[4294967295]',
  '[9999999999]',
  '[99999999999]',
  '[-1]',
  '[x]',
  '[',
  ']',
];
const VERSIONS = ['', 'eosio::abi/1.', 'eosio::abi/2.0', 'eosio::abi/1.999', '\u0000'];
const LONG_CHAIN = 40;
const LONG_NAME = 65_536;

/** Mutates a valid ABI in place with one to three of the errors that contracts may contain. */
export function breakAbi(abi: GeneratedAbi, random: Random): GeneratedAbi {
  const times = 1 + random(3);
  for (let time = 0; time < times; time++) CHANGES[random(CHANGES.length)]!(abi, random);
  return abi;
}

const CHANGES: Change[] = [
  // Defined twice.
  (abi, random) => void abi.structs.push({ ...pick(random, abi.structs), fields: [{ name: 'other', type: 'name' }] }),
  (abi, random) => void abi.actions.push({ ...pick(random, abi.actions), type: typeOf(abi, random) }),
  (abi, random) => void abi.variants.push({ name: pick(random, abi.structs).name, types: [typeOf(abi, random)] }),
  (abi, random) => void abi.types.push({ new_type_name: pick(random, abi.structs).name, type: typeOf(abi, random) }),
  // Names with another meaning.
  (abi, random) => void (pick(random, abi.structs).name = pick(random, ['uint64', 'bitset', 'name', '', '__proto__'])),
  (abi, random) => void abi.types.push({ new_type_name: 'bitset', type: typeOf(abi, random) }),
  (abi, random) => void abi.types.push({ new_type_name: `${typeOf(abi, random)}[]`, type: typeOf(abi, random) }),
  // Cycles and long chains.
  (abi, random) => void (pick(random, abi.structs).base = pick(random, abi.structs).name),
  (abi, random) => void pick(random, abi.structs).fields.push({ name: 'r', type: pick(random, abi.structs).name }),
  (abi, random) => void abi.variants.push({ name: 'ring', types: ['ring', 'ring[]', typeOf(abi, random)] }),
  (abi) => void abi.types.push({ new_type_name: 'ping', type: 'pong[]' }, { new_type_name: 'pong', type: 'ping?' }),
  addTypedefChain,
  addBaseChain,
  addFamily,
  // Unknown and odd types.
  (abi, random) =>
    void (pick(random, pick(random, abi.structs).fields, { name: '', type: '' }).type = oddType(abi, random)),
  (abi, random) => void (pick(random, abi.actions).type = pick(random, ['', oddType(abi, random), 'ring', 'bitset'])),
  (abi, random) => void abi.action_results.push({ name: 'odd', result_type: oddType(abi, random) }),
  (abi, random) => void (pick(random, abi.structs).base = oddType(abi, random)),
  (abi, random) => void abi.variants.push({ name: 'none', types: [] }, { name: 'odd', types: [oddType(abi, random)] }),
  (abi, random) => void (pick(random, abi.structs).fields = []),
  // Sizes.
  (abi, random) => void pick(random, abi.structs).fields.push({ name: longName(random), type: typeOf(abi, random) }),
  (abi, random) => void pick(random, abi.structs).fields.push(...manyFields(abi, random)),
  (abi, random) =>
    void abi.variants.push({ name: 'wide', types: Array.from({ length: 300 }, () => typeOf(abi, random)) }),
  (abi, random) => void (abi.version = pick(random, VERSIONS)),
];

function addTypedefChain(abi: GeneratedAbi, random: Random): void {
  const length = 1 + random(LONG_CHAIN);
  for (let link = 0; link < length; link++) {
    abi.types.push({ new_type_name: `chain${link}`, type: link === 0 ? typeOf(abi, random) : `chain${link - 1}` });
  }
  pick(random, abi.structs).fields.push({ name: 'chained', type: `chain${length - 1}` });
}

function addBaseChain(abi: GeneratedAbi, random: Random): void {
  const length = 1 + random(LONG_CHAIN);
  for (let link = 0; link < length; link++) {
    const base = link === 0 ? pick(random, abi.structs).name : `heir${link - 1}`;
    abi.structs.push({ name: `heir${link}`, base, fields: [{ name: `own${link}`, type: 'uint8' }] });
  }
  pick(random, abi.actions).type = `heir${length - 1}`;
}

/** Many structs with one large base: each is small in the ABI, and as large as the base when it is flattened. */
function addFamily(abi: GeneratedAbi, random: Random): void {
  abi.structs.push({ name: 'ancestor', base: '', fields: manyFields(abi, random) });
  for (let child = 0; child < 50; child++) abi.structs.push({ name: `child${child}`, base: 'ancestor', fields: [] });
  abi.actions.forEach((action) => void (action.type = `child${random(50)}`));
}

function manyFields(abi: GeneratedAbi, random: Random): { name: string; type: string }[] {
  const ends = ['', '?', '[]', '$'];
  return Array.from({ length: 300 }, (_, index) => ({
    name: `f${index}`,
    type: `${typeOf(abi, random)}${pick(random, ends)}`,
  }));
}

/** A repeated character, which JSON may escape. */
function longName(random: Random): string {
  return pick(random, ['x', '\u0001', '"', '\u00e9', '7']).repeat(1 + random(LONG_NAME));
}

function oddType(abi: GeneratedAbi, random: Random): string {
  const suffixes = Array.from({ length: 1 + random(random(8) === 0 ? LONG_CHAIN : 3) }, () => pick(random, SUFFIXES));
  return pick(random, ['', 'nothing', typeOf(abi, random)]) + suffixes.join('');
}

function typeOf(abi: GeneratedAbi, random: Random): string {
  const names = [...abi.structs, ...abi.variants].map(({ name }) => name);
  return pick(random, [
    'uint8',
    'string',
    'bytes',
    'public_key',
    ...names,
    ...abi.types.map((type) => type.new_type_name),
  ]);
}

function pick<T>(random: Random, values: readonly T[], none?: T): T {
  return values[random(values.length)] ?? (none as T);
}
