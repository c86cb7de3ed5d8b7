import { DecodeAllowance } from '@antelope-history/abi';
import { stringifyJson } from '@antelope-history/json';
import { isEmptyAbi, renderAbi } from './abi-json';

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')]);
const list = (...items: Buffer[][]): Buffer => Buffer.concat([Buffer.from([items.length]), ...items.flat()]);
const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const allowance = (): DecodeAllowance => new DecodeAllowance(1 << 25);

/** Version, types, structs, actions, tables, clauses, error messages, extensions: the lists that every ABI has. */
const OLDEST = Buffer.concat([
  text('eosio::abi/1.0'),
  list([text('amount'), text('asset')]),
  list([text('s'), text(''), list([text('a'), text('amount')])]),
  list([uint64(0x3232_0000_0000_0000n), text('s'), text('contract')]),
  list([uint64(0n), text('i64'), list([text('k')]), list([text('uint64')]), text('s')]),
  list([text('id'), text('body')]),
  list([uint64(1n), text('one')], [uint64(2n ** 63n), text('a\xffb')]),
  list([Buffer.from([5, 1]), text('\x01\x02')]),
]);

describe('renderAbi', () => {
  const lists =
    '"types":[{"new_type_name":"amount","type":"asset"}],' +
    '"structs":[{"name":"s","base":"","fields":[{"name":"a","type":"amount"}]}],' +
    '"actions":[{"name":"act","type":"s","ricardian_contract":"contract"}],' +
    '"tables":[{"name":"","index_type":"i64","key_names":["k"],"key_types":["uint64"],"type":"s"}],' +
    '"ricardian_clauses":[{"id":"id","body":"body"}],' +
    '"error_messages":[{"error_code":1,"error_msg":"one"},{"error_code":"9223372036854775808","error_msg":"ab"}],' +
    '"abi_extensions":[[261,"0102"]]';
  const printed = (packed: Buffer, generation: 'eosio-2.0' | 'eosio-2.1+' = 'eosio-2.1+') =>
    stringifyJson(renderAbi(packed, generation, allowance()));

  it('prints an ABI that ends before variants with empty lists', () => {
    expect(printed(OLDEST)).toBe(`{"version":"eosio::abi/1.0",${lists},"variants":[],"action_results":[]}`);
  });

  it('prints variants and action results, and ignores bytes after them', () => {
    const variants = list([text('v'), list([text('a')], [text('b')])]);
    const results = list([uint64(0x3232_0000_0000_0000n), text('string')]);
    const packed = Buffer.concat([OLDEST, variants, results, Buffer.from('later')]);
    const printedVariants = '"variants":[{"name":"v","types":["a","b"]}]';
    const printedResults = '"action_results":[{"name":"act","result_type":"string"}]';
    expect(printed(packed)).toBe(`{"version":"eosio::abi/1.0",${lists},${printedVariants},${printedResults}}`);
    expect(printed(packed, 'eosio-2.0')).toBe(`{"version":"eosio::abi/1.0",${lists},${printedVariants}}`);
  });

  it('prints nothing for bytes that are no ABI, wherever they end', () => {
    for (let length = 0; length < OLDEST.length; length++) {
      expect(renderAbi(OLDEST.subarray(0, length), 'eosio-2.1+', allowance())).toBeUndefined();
    }
  });

  it('stays within the limits of a decoding, however small the ABI is packed', () => {
    const types = Buffer.alloc(2 * 500_000);
    const count = Buffer.from([0xa0, 0xc2, 0x1e]);
    const startedAt = performance.now();
    const packed = Buffer.concat([text(''), count, types, Buffer.alloc(6)]);
    expect(renderAbi(packed, 'eosio-2.1+', allowance())).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(renderAbi(OLDEST, 'eosio-2.1+', new DecodeAllowance(10))).toBeUndefined();
  });

  it('is not asked for empty ABIs', () => {
    expect([isEmptyAbi(Buffer.alloc(4)), isEmptyAbi(Buffer.alloc(5))]).toEqual([true, false]);
  });
});
