/** The ABI frames of node versions without a recording, derived from the frame of Leap. */

export interface Frame {
  structs: { name: string; base?: string; fields: { name: string; type: string }[] }[];
  types: { new_type_name: string; type: string }[];
  variants: { name: string; types: string[] }[];
  [part: string]: unknown;
}

export function parseFrame(text: string): Frame {
  return JSON.parse(text) as Frame;
}

/** The fields of a struct of a frame; a test may change them. */
export function fieldsIn(frame: Frame, name: string): { name: string; type: string }[] {
  const struct = frame.structs.find((each) => each.name === name);
  if (!struct) throw new Error(`the frame has no struct ${name}`);
  return struct.fields;
}

export function variantIn(frame: Frame, name: string): string[] {
  const variant = frame.variants.find((each) => each.name === name);
  if (!variant) throw new Error(`the frame has no variant ${name}`);
  return variant.types;
}

const fields = (...pairs: [name: string, type: string][]): { name: string; type: string }[] =>
  pairs.map(([name, type]) => ({ name, type }));

/** Spring 1 (libraries/state_history/abi.cpp): results of version 1, with finality data. */
export function springFrame(leap: string): Frame {
  const frame = parseFrame(leap);
  frame.structs.push(
    {
      name: 'get_blocks_result_v1',
      fields: [...fieldsIn(frame, 'get_blocks_result_v0'), ...fields(['finality_data', 'bytes?'])],
    },
    {
      name: 'get_status_result_v1',
      fields: [
        ...fieldsIn(frame, 'get_status_result_v0').filter(({ name }) => name !== 'chain_id'),
        ...fields(
          ['chain_id', 'checksum256'],
          ['finality_data_begin_block', 'uint32'],
          ['finality_data_end_block', 'uint32'],
        ),
      ],
    },
  );
  variantIn(frame, 'result').push('get_blocks_result_v1', 'get_status_result_v1');
  return frame;
}

/** EOSIO 2.1 (libraries/state_history/abi.cpp): prunable blocks, disk deltas, rows with three values of `present`. */
export function eosio21Frame(leap: string): Frame {
  const frame = parseFrame(leap);
  const result = fieldsIn(frame, 'get_blocks_result_v0').filter(
    ({ name }) => !['block', 'traces', 'deltas'].includes(name),
  );
  const partial = fieldsIn(frame, 'partial_transaction_v0').slice(0, 7);
  frame.structs = frame.structs.filter(
    ({ name }) => !['packed_transaction', 'transaction_receipt', 'signed_block'].includes(name),
  );
  frame.structs.push(
    {
      name: 'get_blocks_result_v1',
      fields: [...result, ...fields(['block', 'signed_block_variant?'], ['traces', 'bytes'], ['deltas', 'bytes'])],
    },
    { name: 'row_v1', fields: fields(['present', 'uint8'], ['data', 'bytes']) },
    { name: 'table_delta_v1', fields: fields(['name', 'string'], ['rows', 'row_v1[]']) },
    { name: 'partial_transaction_v1', fields: [...partial, ...fields(['prunable_data', 'prunable_data_type?'])] },
    { name: 'prunable_data_type', fields: fields(['prunable_data', 'prunable_data']) },
    {
      name: 'prunable_data_full_legacy',
      fields: fields(['signatures', 'signature[]'], ['packed_context_free_data', 'bytes']),
    },
    { name: 'prunable_data_none', fields: fields(['prunable_digest', 'checksum256']) },
    {
      name: 'prunable_data_partial',
      fields: fields(['signatures', 'signature[]'], ['context_free_segments', 'segment_type[]']),
    },
    { name: 'prunable_data_full', fields: fields(['signatures', 'signature[]'], ['context_free_segments', 'bytes[]']) },
    {
      name: 'packed_transaction_v0',
      fields: fields(
        ['signatures', 'signature[]'],
        ['compression', 'uint8'],
        ['packed_context_free_data', 'bytes'],
        ['packed_trx', 'bytes'],
      ),
    },
    {
      name: 'packed_transaction_v1',
      fields: fields(['compression', 'uint8'], ['prunable_data', 'prunable_data_type'], ['packed_trx', 'bytes']),
    },
    {
      name: 'transaction_receipt_v0',
      base: 'transaction_receipt_header',
      fields: fields(['trx', 'transaction_variant_v0']),
    },
    {
      name: 'transaction_receipt_v1',
      base: 'transaction_receipt_header',
      fields: fields(['trx', 'transaction_variant_v1']),
    },
    {
      name: 'signed_block_v0',
      base: 'signed_block_header',
      fields: fields(['transactions', 'transaction_receipt_v0[]'], ['block_extensions', 'extension[]']),
    },
    {
      name: 'signed_block_v1',
      base: 'signed_block_header',
      fields: fields(
        ['prune_state', 'uint8'],
        ['transactions', 'transaction_receipt_v1[]'],
        ['block_extensions', 'extension[]'],
      ),
    },
  );
  const trace = fieldsIn(frame, 'action_trace_v1');
  const ramAt = trace.findIndex(({ name }) => name === 'account_ram_deltas');
  trace.splice(ramAt + 1, 0, { name: 'account_disk_deltas', type: 'account_delta[]' });
  variantIn(frame, 'result').push('get_blocks_result_v1');
  variantIn(frame, 'table_delta').push('table_delta_v1');
  variantIn(frame, 'partial_transaction').push('partial_transaction_v1');
  frame.variants = frame.variants.filter(({ name }) => name !== 'transaction_variant');
  frame.variants.push(
    { name: 'transaction_variant_v0', types: ['transaction_id', 'packed_transaction_v0'] },
    { name: 'transaction_variant_v1', types: ['transaction_id', 'packed_transaction_v1'] },
    { name: 'signed_block_variant', types: ['signed_block_v0', 'signed_block_v1'] },
    {
      name: 'prunable_data',
      types: ['prunable_data_full_legacy', 'prunable_data_none', 'prunable_data_partial', 'prunable_data_full'],
    },
    { name: 'segment_type', types: ['checksum256', 'bytes'] },
  );
  return frame;
}
