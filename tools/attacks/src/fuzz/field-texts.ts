import fc from 'fast-check';
import type { ChainFacts } from '../chain-facts';

/** Values of request fields as JSON text, by the field's name: valid ones, and nearly valid ones. */
export type FieldTexts = Readonly<Record<string, fc.Arbitrary<string>>>;

const HEX = '0123456789abcdefABCDEF';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const stringOf = (characters: string, size: { minLength?: number; maxLength: number }): fc.Arbitrary<string> =>
  fc.string({ unit: oneCharacterOf(characters), ...size });
const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => text.map((value) => JSON.stringify(value));

function oneCharacterOf(characters: string): fc.Arbitrary<string> {
  return fc.nat(characters.length - 1).map((index) => characters.charAt(index));
}

export function createFieldTexts(facts: ChainFacts): FieldTexts {
  const name = nameLike(facts.names);
  const blockId = quoted(idLike(facts.blockIds));
  return {
    account_name: quoted(name),
    pos: integerText(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: -2, max: 4000 }) }, fc.maxSafeInteger())),
    offset: integerText(
      fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: -25, max: 25 }) },
        { weight: 1, arbitrary: fc.integer({ min: -1200, max: 1200 }) },
        { weight: 1, arbitrary: fc.maxSafeInteger() },
      ),
    ),
    filter: quoted(filter(name)),
    sort: fc.constantFrom('"desc"', '"asc"', '"1"', '"-1"', '1', '-1', '1.0', '"ASC"'),
    after: boundText,
    before: boundText,
    parent: integerText(fc.oneof({ weight: 9, arbitrary: fc.nat(3700) }, fc.maxSafeInteger())),
    controlling_account: quoted(name),
    public_key: quoted(keyLike(facts.keys)),
    id: quoted(idLike(facts.transactionIds)),
    block_num_hint: blockNum,
    block_num_or_id: fc.oneof(blockId, blockNum),
    block_num: blockNum,
    block_id: blockId,
    abi_hash: blockId,
  };
}

/** A known name, another one, or a text of characters that names and filters have. */
function nameLike(names: string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: stringOf('abcdefghijklmnopqrstuvwxyz12345.', { maxLength: 14 }) },
    { weight: 1, arbitrary: stringOf('abAB012345.:*_', { maxLength: 20 }) },
  );
}

/** A known key, one with a wrong character, or a prefix with random characters. */
function keyLike(keys: string[]): fc.Arbitrary<string> {
  const prefix = fc.constantFrom('EOS', 'PUB_K1_', 'PUB_R1_', 'PUB_WA_', 'PUB_', '');
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...keys) },
    { weight: 2, arbitrary: nearly(fc.constantFrom(...keys), BASE58) },
    { weight: 2, arbitrary: fc.tuple(prefix, stringOf(BASE58, { maxLength: 300 })).map((parts) => parts.join('')) },
  );
}

/** A number, or the same number as a string. */
function integerText(integer: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return fc.tuple(integer, fc.boolean()).map(([value, inQuotes]) => (inQuotes ? `"${value}"` : String(value)));
}

/** A known id, a prefix of one, one with a wrong digit, or random digits. */
function idLike(ids: string[]): fc.Arbitrary<string> {
  const known = fc.constantFrom(...ids);
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 2, arbitrary: known.map((id) => id.toUpperCase()) },
    { weight: 2, arbitrary: fc.tuple(known, fc.nat(64)).map(([id, digits]) => id.slice(0, digits)) },
    { weight: 1, arbitrary: nearly(known, HEX) },
    { weight: 2, arbitrary: stringOf(HEX, { maxLength: 70 }) },
  );
}

/** A text with one character replaced, removed or inserted. */
function nearly(text: fc.Arbitrary<string>, characters: string): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.nat(), oneCharacterOf(characters), fc.constantFrom(0, 1), fc.constantFrom(0, 1))
    .map(([value, at, character, removed, added]) => {
      const offset = at % (value.length + 1);
      return value.slice(0, offset) + character.repeat(added) + value.slice(offset + removed);
    });
}

function filter(name: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const action = fc.constantFrom('transfer', 'onblock', 'log', 'nest', 'setabi', 'store', 'nosuchact');
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(name, action).map((sides) => sides.join(':')) },
    { weight: 2, arbitrary: name.map((account) => `${account}:*`) },
    { weight: 2, arbitrary: action.map((called) => `*:${called}`) },
    { weight: 1, arbitrary: stringOf('ab:*, ', { maxLength: 6 }) },
  );
  return fc
    .oneof(
      { weight: 9, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.array(part, { maxLength: 120 }) },
    )
    .map((parts) => parts.join(','));
}

const blockNum = integerText(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -2, max: 520 }) },
    fc.constantFrom(-1, 0, 1, 458, 505, 4294967295, 4294967296),
  ),
);

const ZONES = ['', 'Z', 'z', '+00:00', '-12:00', '+14:00', '+0530', '-07', '+99:99', ' UTC', '[Europe/Paris]'];

const dateText = fc
  .tuple(
    fc.oneof(
      fc.date({ noInvalidDate: true, min: new Date('2026-11-21T02:00:00Z'), max: new Date('2026-11-21T03:00:00Z') }),
      fc.date({ noInvalidDate: true }),
    ),
    fc.constantFrom(4, 7, 10, 13, 16, 19, 21, 23),
    fc.constantFrom(...ZONES),
  )
  .map(([date, length, zone]) => date.toISOString().slice(0, length) + zone);

const boundText = fc.oneof(
  { weight: 4, arbitrary: integerText(fc.integer({ min: 0, max: 600 })) },
  { weight: 4, arbitrary: quoted(dateText) },
  { weight: 1, arbitrary: quoted(stringOf('0123456789-:TZ.+ ', { maxLength: 30 })) },
);
