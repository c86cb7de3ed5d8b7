import { ByteReader, parseAbiJson } from '@antelope-history/abi';
import { openSample } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { ABI, Serializer } from '@wharfkit/antelope';
import { createShipProtocol, LayoutCompiler, type BlocksResult, type ShipProtocol } from '../src/index';
import { eosio21Frame, fieldsIn, parseFrame, springFrame, variantIn, type Frame } from './frames';
import { traceToJson } from './trace-json';
import { WharfkitDecoder } from './wharfkit-results';

const leap = openSample('leap-edge');
const plain = createShipProtocol(leap.abi);
const wharfkit = new WharfkitDecoder(leap);

type Fields = Record<string, unknown>;
type Tagged = [string, Fields];

const abis = new WeakMap<Frame, ABI>();

/** Packs a value with the layouts of a frame. */
function encode(frame: Frame, type: string, value: unknown): Buffer {
  let abi = abis.get(frame);
  if (!abi) abis.set(frame, (abi = ABI.from(JSON.stringify(frame))));
  return Buffer.from(Serializer.encode({ object: value as Fields, type, abi }).array);
}

/** A message of the recording in the form in which another version of the node sends it. */
function recode(frame: Frame, message: Buffer, change: (result: Fields) => Tagged): Buffer {
  return encode(frame, 'result', change({ ...wharfkit.result(message) }));
}

function readBlocks(protocol: Pick<ShipProtocol, 'readResult'>, message: Buffer): BlocksResult {
  const result = protocol.readResult(message);
  if (result.kind !== 'blocks') throw new Error('not a result of blocks');
  return result.blocks;
}

function tracesOf(protocol: ShipProtocol, { traces }: BlocksResult): object[] {
  const shown: object[] = [];
  if (traces) protocol.readTraces(traces, (view) => shown.push(traceToJson(view, traces)));
  return shown;
}

function deltasOf(protocol: ShipProtocol, { deltas }: BlocksResult): object[] {
  const shown: object[] = [];
  if (deltas) {
    protocol.readDeltas(deltas, {
      account: ({ name, abi }) => shown.push({ name, abi: abi.toString('hex') }),
      permission: (row) => shown.push({ ...row, keys: row.keys.map((key) => key.toString('hex')) }),
    });
  }
  return shown;
}

/** The code and the message of the error that `run` throws. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HistoryError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}

const SOME = leap.messages.filter(({ index }) => index % 10 === 0 || index < 3);

describe('Spring 1', () => {
  const frame = springFrame(leap.abi);
  const protocol = createShipProtocol(JSON.stringify(frame));

  it('sends results with and without finality data, which are read alike but for the root of the actions', () => {
    for (const { bytes } of SOME) {
      const expected = readBlocks(plain, bytes);
      expect(readBlocks(protocol, bytes)).toEqual(expected);
      const withData = (finality_data: string | null): Buffer =>
        recode(frame, bytes, (result) => ['get_blocks_result_v1', { ...result, finality_data }]);
      expect(readBlocks(protocol, withData(null))).toEqual(expected);
      const root = 'ab'.repeat(32);
      const finalityData = `${'00'.repeat(12)}${root}${'00'.repeat(80)}`;
      expect(readBlocks(protocol, withData(finalityData))).toEqual({ ...expected, actionRoot: root });
      expect(() => readBlocks(protocol, withData('c0ffee'))).toThrow('finality data of 3 bytes');
    }
  });

  it('sends status results of two versions, which are read alike', () => {
    const { head, last_irreversible } = wharfkit.result(leap.messages[100]!.bytes);
    const ranges = { trace_begin_block: 2, trace_end_block: 9, chain_state_begin_block: 1, chain_state_end_block: 8 };
    const v0 = { head, last_irreversible, ...ranges, chain_id: 'ab'.repeat(32) };
    const v1 = { ...v0, finality_data_begin_block: 1, finality_data_end_block: 9 };
    const read = (value: Tagged): unknown => protocol.readResult(encode(frame, 'result', value));
    const status = {
      head: { num: head.block_num, id: head.block_id },
      lastIrreversible: { num: last_irreversible.block_num, id: last_irreversible.block_id },
      traceBegin: 2,
      traceEnd: 9,
      chainStateBegin: 1,
      chainStateEnd: 8,
      chainId: 'ab'.repeat(32),
    };
    expect(read(['get_status_result_v0', v0])).toEqual({ kind: 'status', status });
    expect(read(['get_status_result_v1', v1])).toEqual({ kind: 'status', status });
  });
});

describe('EOSIO 2.1', () => {
  const frame = eosio21Frame(leap.abi);
  const protocol = createShipProtocol(JSON.stringify(frame));

  it('sends blocks of two layouts, disk deltas and rows with three values of present, which are read like those of Leap', () => {
    for (const { bytes } of SOME) {
      const expected = readBlocks(plain, bytes);
      for (const version of [0, 1] as const) {
        const actual = readBlocks(
          protocol,
          recode(frame, bytes, (result) => asEosio21(result, version)),
        );
        expect(actual.block).toEqual(expected.block);
        expect(tracesOf(protocol, actual)).toEqual(tracesOf(plain, expected));
        expect(deltasOf(protocol, actual)).toEqual(deltasOf(plain, expected));
      }
    }
  });

  it('can send a block with pruned transactions, which is refused with their variant', () => {
    const { bytes } = leap.messages.find((message) => readBlocks(plain, message.bytes).block!.length > 400)!;
    const prunable = ['prunable_data_none', { prunable_digest: '00'.repeat(32) }];
    const message = recode(frame, bytes, (result) => asEosio21(result, 1, () => prunable));
    expect(refusal(() => protocol.readResult(message))).toBe(
      'SHIP_UNSUPPORTED: a block contains a transaction with prunable_data_none',
    );
  });

  function asEosio21(result: Fields, version: 0 | 1, prune = fullLegacy): Tagged {
    const { block, traces, deltas, ...positions } = result;
    return [
      'get_blocks_result_v1',
      {
        ...positions,
        block: block === null ? null : [`signed_block_v${version}`, blockOf(block as string, version, prune)],
        traces: traces === null ? '' : encodeTraces(traces as string).toString('hex'),
        deltas: deltas === null ? '' : encodeDeltas(deltas as string).toString('hex'),
      },
    ];
  }

  function fullLegacy(trx: Fields): unknown {
    const { signatures, packed_context_free_data } = trx;
    return ['prunable_data_full_legacy', { signatures, packed_context_free_data }];
  }

  function blockOf(block: string, version: 0 | 1, prune: (trx: Fields) => unknown): Fields {
    const { transactions, ...header } = wharfkit.decode('signed_block', block) as Fields & {
      transactions: (Fields & { trx: Tagged })[];
    };
    const receipts = transactions.map(({ trx: [kind, trx], ...receipt }) => {
      if (kind !== 'packed_transaction') return { ...receipt, trx: [kind, trx] };
      if (version === 0) return { ...receipt, trx: ['packed_transaction_v0', trx] };
      const { compression, packed_trx } = trx;
      return {
        ...receipt,
        trx: ['packed_transaction_v1', { compression, prunable_data: { prunable_data: prune(trx) }, packed_trx }],
      };
    });
    return { ...header, prune_state: 3, transactions: receipts };
  }

  function encodeTraces(traces: string): Buffer {
    const decoded = wharfkit.decode('transaction_trace[]', traces) as Tagged[];
    return encode(frame, 'transaction_trace[]', decoded.map(withPrunableParts));
  }

  function withPrunableParts([name, trace]: Tagged): Tagged {
    const actions = (trace['action_traces'] as Tagged[]).map(([version, action]) => [
      version,
      { ...action, account_disk_deltas: [{ account: 'alice', delta: -5 }] },
    ]);
    const failed = trace['failed_dtrx_trace'] as Tagged | null;
    const partial = trace['partial'] as Tagged | null;
    return [
      name,
      {
        ...trace,
        action_traces: actions,
        failed_dtrx_trace: failed && withPrunableParts(failed),
        partial: partial && prunablePartial(partial[1]),
      },
    ];
  }

  function prunablePartial({ signatures, context_free_data, ...header }: Fields): Tagged {
    const prunable_data = ['prunable_data_full', { signatures, context_free_segments: context_free_data }];
    return ['partial_transaction_v1', { ...header, prunable_data: { prunable_data } }];
  }

  function encodeDeltas(deltas: string): Buffer {
    const versions = wharfkit
      .deltas(deltas)
      .map(({ name, rows }) => [
        'table_delta_v1',
        { name, rows: rows.map(({ present, data }, index) => ({ present: present ? 1 + (index % 2) : 0, data })) },
      ]);
    return encode(frame, 'table_delta[]', versions);
  }
});

describe('a frame', () => {
  /** The frame of the recording with a change. */
  const changed = (change: (frame: Frame) => void): string => {
    const frame = parseFrame(leap.abi);
    change(frame);
    return JSON.stringify(frame);
  };

  it('may have fields in another order and unknown fields', () => {
    const text = changed((frame) => {
      for (const name of [
        'get_blocks_result_v0',
        'transaction_trace_v0',
        'action_trace_v1',
        'action',
        'permission_v0',
      ]) {
        fieldsIn(frame, name).reverse().splice(1, 0, { name: 'unknown_field', type: 'authority?' });
      }
    });
    const frame = parseFrame(text);
    const protocol = createShipProtocol(text);
    for (const { bytes } of SOME) {
      const expected = readBlocks(plain, bytes);
      const message = recode(frame, bytes, (result) => [
        'get_blocks_result_v0',
        {
          ...result,
          traces: recodePart('transaction_trace[]', result['traces']),
          deltas: recodeDeltas(result['deltas']),
        },
      ]);
      const actual = readBlocks(protocol, message);
      expect(actual.thisBlock).toEqual(expected.thisBlock);
      expect(tracesOf(protocol, actual)).toEqual(tracesOf(plain, expected));
      expect(deltasOf(protocol, actual)).toEqual(deltasOf(plain, expected));
    }

    function recodePart(type: string, packed: unknown): string | null {
      return packed === null ? null : encode(frame, type, wharfkit.decode(type, packed as string)).toString('hex');
    }

    function recodeDeltas(packed: unknown): string | null {
      if (packed === null) return null;
      const deltas = wharfkit.deltas(packed as string).map(({ name, rows }) => {
        const recoded = rows.map(({ present, data }) => ({ present, data: recodePart(name, data) }));
        return ['table_delta_v0', { name, rows: name === 'permission' ? recoded : rows }];
      });
      return encode(frame, 'table_delta[]', deltas).toString('hex');
    }
  });

  it('may name types with typedefs', () => {
    const text = changed((frame) => {
      frame.types.push({ new_type_name: 'account_name', type: 'name' }, { new_type_name: 'blob', type: 'bytes' });
      fieldsIn(frame, 'action')[0]!.type = 'account_name';
      fieldsIn(frame, 'get_blocks_result_v0')[4]!.type = 'blob?';
    });
    for (const { bytes } of SOME) expect(readBlocks(createShipProtocol(text), bytes)).toEqual(readBlocks(plain, bytes));
  });

  it.each([
    [
      'a missing field',
      'action_trace_v1',
      'receiver',
      undefined,
      'field receiver of action_trace_v1 is missing, not name',
    ],
    [
      'a field of another type',
      'action_receipt_v0',
      'global_sequence',
      'uint128',
      'field global_sequence of action_receipt_v0 is uint128, not uint64',
    ],
    [
      'a position of another layout',
      'block_position',
      'block_num',
      'uint64',
      'block_position has the fields {block_num: uint64, block_id: checksum256}',
    ],
    ['rows of another layout', 'row', 'present', 'int64', 'row has the fields {present: int64, data: bytes}'],
    [
      'keys of another layout',
      'key_weight',
      'weight',
      'uint32',
      'key_weight has the fields {key: public_key, weight: uint32}',
    ],
    [
      'permission levels of another layout',
      'permission_level',
      'actor',
      'uint32',
      'permission_level has the fields {actor: uint32, permission: name}',
    ],
  ])('is refused for %s', (_what, struct, field, type, reason) => {
    const text = changed((frame) => {
      if (struct === 'action_trace_v1') variantIn(frame, 'action_trace').shift();
      const fields = fieldsIn(frame, struct);
      const at = fields.findIndex(({ name }) => name === field);
      if (type === undefined) fields.splice(at, 1);
      else fields[at]!.type = type;
    });
    expect(refusal(() => createShipProtocol(text))).toBe(
      `SHIP_UNSUPPORTED: The node's state history ABI is not supported: ${reason}`,
    );
  });

  it('is refused for a missing variant and for two fields of one name', () => {
    const without = changed((frame) => (frame.variants = frame.variants.filter(({ name }) => name !== 'result')));
    expect(refusal(() => createShipProtocol(without))).toContain('SHIP_UNSUPPORTED');
    expect(refusal(() => createShipProtocol(without))).toContain('it has no variant result');
    const twice = changed((frame) => fieldsIn(frame, 'transaction_trace_v0').push({ name: 'id', type: 'checksum256' }));
    expect(refusal(() => createShipProtocol(twice))).toContain('transaction_trace_v0 has two fields of one name');
  });

  it('with an unknown alternative is refused only when the node sends that alternative', () => {
    const text = changed((frame) => {
      frame.structs.push({ name: 'action_trace_v2', fields: [{ name: 'everything', type: 'bytes' }] });
      variantIn(frame, 'action_trace').splice(1, 0, 'action_trace_v2');
    });
    const protocol = createShipProtocol(text);
    const traces = leap.messages.map(({ bytes }) => readBlocks(protocol, bytes).traces).find((each) => each)!;
    expect(refusal(() => protocol.readTraces(traces, () => undefined))).toBe(
      "SHIP_UNSUPPORTED: The node's state history ABI is not supported: field action_ordinal of action_trace_v2 is missing, not varuint32",
    );
  });
});

describe('LayoutCompiler.skip', () => {
  const layouts = new LayoutCompiler(
    parseAbiJson(
      JSON.stringify({
        version: 'eosio::abi/1.1',
        structs: [
          { name: 'nothing', base: '', fields: [] },
          { name: 'nested', base: '', fields: [{ name: 'inner', type: 'nested?' }] },
          { name: 'crowd', base: '', fields: [{ name: 'members', type: 'nothing[]' }] },
        ],
        types: [],
        actions: [],
        tables: [],
        variants: [],
      }),
    ),
  );

  it('resets the nesting depth when a read fails', () => {
    const deep = (levels: number, end: number[]): Buffer => Buffer.from([...Array<number>(levels).fill(1), ...end]);
    const skip = layouts.skip('nested');
    for (let failure = 0; failure < 100; failure++) {
      expect(() => skip(new ByteReader(deep(10, [])))).toThrow(HistoryError);
      expect(refusal(() => skip(new ByteReader(deep(100, [0]))))).toContain('nested deeper than 32');
    }
    const reader = new ByteReader(deep(10, [0]));
    skip(reader);
    expect(reader.remaining()).toBe(0);
  });

  it('refuses values that take no bytes, because a message can claim any number of them', () => {
    const crowds = Buffer.alloc(1_000, 100);
    expect(refusal(() => layouts.skip('crowd')(new ByteReader(crowds)))).toContain('nothing may take no bytes');
    expect(refusal(() => layouts.skip('uint8[0]')(new ByteReader(crowds)))).toContain('arrays of fixed size 0');
  });
});
