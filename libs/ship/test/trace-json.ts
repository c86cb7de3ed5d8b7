import { ByteReader, readName, readSignature, signatureToString, timePointSecToString } from '@antelope-history/abi';
import type { ActionTraceView, PartialTransactionView, TransactionTraceView } from '../src/index';

/** A transaction trace from its view, in the form of wharfkit's JSON. */
export function traceToJson(view: TransactionTraceView, bytes: Buffer): object {
  return {
    id: hex(bytes, view.idAt, view.idAt + 32),
    status: view.status,
    cpu_usage_us: view.cpuUsageUs,
    net_usage_words: view.netUsageWords,
    scheduled: view.scheduled,
    action_traces: view.actions.slice(0, view.actionCount).map((action) => actionToJson(action, bytes)),
    failed_dtrx_trace: view.failed === undefined ? null : traceToJson(view.failed, bytes),
    partial: view.partial === undefined ? null : partialToJson(view.partial),
  };
}

function actionToJson(view: ActionTraceView, bytes: Buffer): object {
  return {
    action_ordinal: view.ordinal,
    creator_action_ordinal: view.creatorOrdinal,
    receipt: view.hasReceipt ? receiptToJson(view, bytes) : null,
    receiver: readName(bytes, view.receiverAt),
    act: {
      account: readName(bytes, view.accountAt),
      name: readName(bytes, view.nameAt),
      authorization: readPairs(bytes, view.authorizationAt, view.authorizationEnd, (actor, at) => ({
        actor,
        permission: readName(bytes, at),
      })),
      data: hex(bytes, view.dataAt, view.dataEnd),
    },
    context_free: view.contextFree,
    elapsed: integer(bytes.readBigInt64LE(view.elapsedAt)),
    console: bytes.toString('utf8', view.consoleAt, view.consoleEnd),
    account_ram_deltas: readPairs(bytes, view.ramDeltasAt, view.ramDeltasEnd, (account, at) => ({
      account,
      delta: integer(bytes.readBigInt64LE(at)),
    })),
    except: view.exceptAt < 0 ? null : bytes.toString('utf8', view.exceptAt, view.exceptEnd),
    error_code: view.errorCodeAt < 0 ? null : integer(bytes.readBigUInt64LE(view.errorCodeAt)),
    return_value: hex(bytes, view.returnValueAt, view.returnValueEnd),
  };
}

function receiptToJson(view: ActionTraceView, bytes: Buffer): object {
  return {
    act_digest: hex(bytes, view.actDigestAt, view.actDigestAt + 32),
    global_sequence: integer(BigInt(view.globalSequence)),
    recv_sequence: integer(bytes.readBigUInt64LE(view.recvSequenceAt)),
    auth_sequence: readPairs(bytes, view.authSequenceAt, view.authSequenceEnd, (account, at) => ({
      account,
      sequence: integer(bytes.readBigUInt64LE(at)),
    })),
    code_sequence: view.codeSequence,
    abi_sequence: view.abiSequence,
  };
}

function partialToJson(partial: PartialTransactionView): object {
  return {
    expiration: timePointSecToString(partial.expiration),
    ref_block_num: partial.refBlockNum,
    ref_block_prefix: partial.refBlockPrefix,
    max_net_usage_words: partial.maxNetUsageWords,
    max_cpu_usage_ms: partial.maxCpuUsageMs,
    delay_sec: partial.delaySec,
    signatures: partial.signatures.map((packed) => signatureToString(readSignature(new ByteReader(packed)))),
  };
}

/** Reads a packed array of pairs of a name and a 64-bit field; `make` receives the name and the offset of the field. */
function readPairs<T>(bytes: Buffer, start: number, end: number, make: (first: string, secondAt: number) => T): T[] {
  const reader = new ByteReader(bytes, start, end);
  const pairs = Array.from({ length: reader.varuint32() }, () => {
    const first = reader.name();
    reader.skip(8);
    return make(first, reader.offset - 8);
  });
  expect(reader.remaining()).toBe(0);
  return pairs;
}

/** wharfkit's rule for integers: a number up to 32 bits, a string above. */
function integer(value: bigint): number | string {
  return value > 0xffffffffn || value < -0xffffffffn ? String(value) : Number(value);
}

function hex(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('hex', start, end);
}
