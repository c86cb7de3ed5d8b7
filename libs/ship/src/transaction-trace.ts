import { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { readFlag, type FieldReader, type LayoutCompiler, type Read } from './layout-compiler';
import { compilePrunableData, PrunableView } from './prunable-data';
import { PartialTransactionView, TransactionTraceView, type ActionTraceView } from './trace-view';

/** nodeos nests one failed deferred transaction in the `onerror` transaction that handles it, and no deeper. */
const MAX_FAILED_DEPTH = 4;

export type TraceReader = (bytes: Buffer, visit: (trace: TransactionTraceView) => void) => void;

/**
 * Compiles the reader of a result's `traces` (a packed `transaction_trace[]`) from the node's ABI.
 * The reader calls `visit` once per transaction in the order of the block, with a view that is valid only during the call.
 * Throws `DECODE_FAILED` on bytes that are not such traces and `SHIP_UNSUPPORTED` on an unknown layout.
 */
export function compileTraceReader(layouts: LayoutCompiler): TraceReader {
  const readTrace = compileTransactionTrace(layouts);
  const view = new TransactionTraceView();
  return (bytes, visit) => {
    const reader = new ByteReader(bytes);
    const count = reader.varuint32();
    if (count > reader.remaining()) throw new HistoryError('DECODE_FAILED', `${count} traces in ${bytes.length} bytes`);
    for (let index = 0; index < count; index++) {
      view.reset();
      readTrace(reader, view);
      visit(view);
    }
    view.reset();
    if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after the last trace');
  };
}

/** The fields of a transaction's trace whose readers need no layout of the node. */
const TRANSACTION_FIELDS: Record<string, FieldReader<TransactionTraceView>> = {
  id: {
    type: 'checksum256',
    read: (reader, trace) => {
      trace.idAt = reader.offset;
      reader.skip(32);
    },
  },
  status: { type: 'uint8', read: (reader, trace) => void (trace.status = reader.uint8()) },
  cpu_usage_us: { type: 'uint32', read: (reader, trace) => void (trace.cpuUsageUs = reader.uint32()) },
  net_usage_words: { type: 'varuint32', read: (reader, trace) => void (trace.netUsageWords = reader.varuint32()) },
  scheduled: { type: 'bool', read: (reader, trace) => void (trace.scheduled = readFlag(reader)) },
};

function compileTransactionTrace(layouts: LayoutCompiler): Read<TransactionTraceView> {
  const readAction = compileActionTrace(layouts);
  const readPartial = compilePartial(layouts);
  let depth = 0;
  const skipNamed = (type: string): FieldReader<TransactionTraceView> => ({ type, read: layouts.skip(type) });
  const readTrace: Read<TransactionTraceView> = layouts.variant('transaction_trace', (type) =>
    layouts.struct<TransactionTraceView>(type, {
      ...TRANSACTION_FIELDS,
      action_traces: {
        type: 'action_trace[]',
        read: (reader, trace) => {
          const count = reader.varuint32();
          for (let index = 0; index < count; index++) readAction(reader, trace.nextAction());
        },
      },
      except: skipNamed('string?'),
      error_code: skipNamed('uint64?'),
      failed_dtrx_trace: { type: 'transaction_trace?', read: readFailed },
      partial: {
        type: 'partial_transaction?',
        read: (reader, trace) => {
          if (!readFlag(reader)) return;
          trace.partial = new PartialTransactionView();
          readPartial(reader, trace.partial);
        },
      },
    }),
  );
  function readFailed(reader: ByteReader, trace: TransactionTraceView): void {
    if (!readFlag(reader)) return;
    if (depth >= MAX_FAILED_DEPTH) throw new HistoryError('DECODE_FAILED', 'failed transactions are nested too deep');
    trace.failed = new TransactionTraceView();
    depth++;
    try {
      readTrace(reader, trace.failed);
    } finally {
      depth--;
    }
  }
  return readTrace;
}

function compileActionTrace(layouts: LayoutCompiler): Read<ActionTraceView> {
  layouts.expectExact('permission_level', ['actor: name', 'permission: name']);
  layouts.expectExact('account_delta', ['account: name', 'delta: int64']);
  const readReceipt = compileReceipt(layouts);
  const readAct = compileAct(layouts);
  return layouts.variant('action_trace', (type) => compileActionTraceVersion(layouts, type, readReceipt, readAct));
}

/** The fields of an action's trace whose readers need no layout of the node. */
const ACTION_FIELDS: Record<string, FieldReader<ActionTraceView>> = {
  action_ordinal: { type: 'varuint32', read: (reader, trace) => void (trace.ordinal = reader.varuint32()) },
  creator_action_ordinal: {
    type: 'varuint32',
    read: (reader, trace) => void (trace.creatorOrdinal = reader.varuint32()),
  },
  receiver: {
    type: 'name',
    read: (reader, trace) => {
      trace.receiverAt = reader.offset;
      reader.skip(8);
    },
  },
  context_free: { type: 'bool', read: (reader, trace) => void (trace.contextFree = readFlag(reader)) },
  elapsed: {
    type: 'int64',
    read: (reader, trace) => {
      trace.elapsedAt = reader.offset;
      reader.skip(8);
    },
  },
  console: {
    type: 'string',
    read: (reader, trace) => {
      const length = reader.varuint32();
      trace.consoleAt = reader.offset;
      reader.skip(length);
      trace.consoleEnd = reader.offset;
    },
  },
  account_ram_deltas: {
    type: 'account_delta[]',
    read: (reader, trace) => {
      trace.ramDeltasAt = reader.offset;
      skipPairs(reader);
      trace.ramDeltasEnd = reader.offset;
    },
  },
  except: {
    type: 'string?',
    read: (reader, trace) => {
      if (!readFlag(reader)) return;
      const length = reader.varuint32();
      trace.exceptAt = reader.offset;
      reader.skip(length);
      trace.exceptEnd = reader.offset;
    },
  },
  error_code: {
    type: 'uint64?',
    read: (reader, trace) => {
      if (!readFlag(reader)) return;
      trace.errorCodeAt = reader.offset;
      reader.skip(8);
    },
  },
  return_value: {
    type: 'bytes',
    read: (reader, trace) => {
      const length = reader.varuint32();
      trace.returnValueAt = reader.offset;
      reader.skip(length);
      trace.returnValueEnd = reader.offset;
    },
  },
};

function compileActionTraceVersion(
  layouts: LayoutCompiler,
  type: string,
  readReceipt: Read<ActionTraceView>,
  readAct: Read<ActionTraceView>,
): Read<ActionTraceView> {
  const fields: Record<string, FieldReader<ActionTraceView>> = {
    ...ACTION_FIELDS,
    receipt: {
      type: 'action_receipt?',
      read: (reader, trace) => {
        trace.hasReceipt = readFlag(reader);
        if (trace.hasReceipt) readReceipt(reader, trace);
      },
    },
    act: { type: 'action', read: readAct },
  };
  return layouts.struct(type, fields, ['return_value']);
}

function compileAct(layouts: LayoutCompiler): Read<ActionTraceView> {
  return layouts.struct<ActionTraceView>('action', {
    account: {
      type: 'name',
      read: (reader, trace) => {
        trace.accountAt = reader.offset;
        reader.skip(8);
      },
    },
    name: {
      type: 'name',
      read: (reader, trace) => {
        trace.nameAt = reader.offset;
        reader.skip(8);
      },
    },
    authorization: {
      type: 'permission_level[]',
      read: (reader, trace) => {
        trace.authorizationAt = reader.offset;
        skipPairs(reader);
        trace.authorizationEnd = reader.offset;
      },
    },
    data: {
      type: 'bytes',
      read: (reader, trace) => {
        const length = reader.varuint32();
        trace.dataAt = reader.offset;
        reader.skip(length);
        trace.dataEnd = reader.offset;
      },
    },
  });
}

function compileReceipt(layouts: LayoutCompiler): Read<ActionTraceView> {
  layouts.expectExact('account_auth_sequence', ['account: name', 'sequence: uint64']);
  return layouts.variant('action_receipt', (type) => compileReceiptVersion(layouts, type));
}

function compileReceiptVersion(layouts: LayoutCompiler, type: string): Read<ActionTraceView> {
  return layouts.struct<ActionTraceView>(type, {
    act_digest: {
      type: 'checksum256',
      read: (reader, trace) => {
        trace.actDigestAt = reader.offset;
        reader.skip(32);
      },
    },
    global_sequence: { type: 'uint64', read: (reader, trace) => void (trace.globalSequence = reader.uint64Number()) },
    recv_sequence: {
      type: 'uint64',
      read: (reader, trace) => {
        trace.recvSequenceAt = reader.offset;
        reader.skip(8);
      },
    },
    auth_sequence: {
      type: 'account_auth_sequence[]',
      read: (reader, trace) => {
        trace.authSequenceAt = reader.offset;
        skipPairs(reader);
        trace.authSequenceEnd = reader.offset;
      },
    },
    code_sequence: { type: 'varuint32', read: (reader, trace) => void (trace.codeSequence = reader.varuint32()) },
    abi_sequence: { type: 'varuint32', read: (reader, trace) => void (trace.abiSequence = reader.varuint32()) },
  });
}

function compilePartial(layouts: LayoutCompiler): Read<PartialTransactionView> {
  return layouts.variant('partial_transaction', (type) => compilePartialVersion(layouts, type));
}

function compilePartialVersion(layouts: LayoutCompiler, type: string): Read<PartialTransactionView> {
  const readSignatures = compileSignatures(layouts);
  return layouts.struct<PartialTransactionView>(
    type,
    {
      expiration: { type: 'time_point_sec', read: (reader, partial) => void (partial.expiration = reader.uint32()) },
      ref_block_num: { type: 'uint16', read: (reader, partial) => void (partial.refBlockNum = reader.uint16()) },
      ref_block_prefix: { type: 'uint32', read: (reader, partial) => void (partial.refBlockPrefix = reader.uint32()) },
      max_net_usage_words: {
        type: 'varuint32',
        read: (reader, partial) => void (partial.maxNetUsageWords = reader.varuint32()),
      },
      max_cpu_usage_ms: { type: 'uint8', read: (reader, partial) => void (partial.maxCpuUsageMs = reader.uint8()) },
      delay_sec: { type: 'varuint32', read: (reader, partial) => void (partial.delaySec = reader.varuint32()) },
      signatures: { type: 'signature[]', read: readSignatures },
      ...compilePrunableSignatures(layouts, type, readSignatures),
    },
    ['signatures', 'prunable_data'],
  );
}

function compileSignatures(layouts: LayoutCompiler): Read<PartialTransactionView> {
  const skipSignature = layouts.skip('signature');
  return (reader, partial) => {
    const count = reader.varuint32();
    for (let index = 0; index < count; index++) {
      const start = reader.offset;
      skipSignature(reader);
      partial.signatures.push(reader.bytes.subarray(start, reader.offset));
    }
  };
}

/** Compiles the reader of EOSIO 2.1's signatures, which are in the prunable data; pruned transactions have none. */
function compilePrunableSignatures(
  layouts: LayoutCompiler,
  type: string,
  readSignatures: Read<PartialTransactionView>,
): Record<string, FieldReader<PartialTransactionView>> {
  const fieldType = layouts.fieldsOf(type)?.get('prunable_data');
  if (!fieldType?.endsWith('?')) return {};
  const readPrunable = compilePrunableData(layouts, fieldType.slice(0, -1));
  const read: Read<PartialTransactionView> = (reader, partial) => {
    if (!readFlag(reader)) return;
    const view = new PrunableView();
    readPrunable(reader, view);
    if (view.signaturesAt < 0) return;
    readSignatures(new ByteReader(reader.bytes, view.signaturesAt, view.signaturesEnd), partial);
  };
  return { prunable_data: { type: fieldType, read } };
}

/** Skips an array of structs with two 64-bit fields. */
function skipPairs(reader: ByteReader): void {
  reader.skip(reader.varuint32() * 16);
}
