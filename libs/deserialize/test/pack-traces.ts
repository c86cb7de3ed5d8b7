import { openSample } from '@antelope-history/test-support/recordings';
import { ABI, Serializer } from '@wharfkit/antelope';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';

const abi = ABI.from(openSample('leap-edge').abi);

/** A block's traces, packed as by Leap: one transaction with the traces of an action record. */
export function packTraces(action: ActionRecord): Buffer {
  return pack(packableTrace(action, null));
}

/** As `packTraces`, nested inside `depth` failed transactions. */
export function packNestedTraces(action: ActionRecord, depth: number): Buffer {
  let trace: Tagged | null = null;
  for (let level = 0; level <= depth; level++) trace = packableTrace(action, trace);
  return pack(trace as Tagged);
}

type Tagged = [type: string, value: object];

function pack(trace: Tagged): Buffer {
  return Buffer.from(Serializer.encode({ object: [trace], type: 'transaction_trace[]', abi }).array);
}

function packableTrace(action: ActionRecord, failed: Tagged | null): Tagged {
  const transaction = {
    id: '00'.repeat(32),
    status: 0,
    cpu_usage_us: 0,
    net_usage_words: 0,
    elapsed: 0,
    net_usage: 0,
    scheduled: false,
    action_traces: action.traces.map((each) => ['action_trace_v1', actionTrace(action, each)]),
    account_ram_delta: null,
    except: null,
    error_code: null,
    failed_dtrx_trace: failed,
    partial: null,
  };
  return ['transaction_trace_v0', transaction];
}

function actionTrace({ account, name, authorization, data, contextFree }: ActionRecord, each: ActionTrace): object {
  const { receipt } = each;
  return {
    action_ordinal: each.ordinal,
    creator_action_ordinal: each.creatorOrdinal,
    receipt: [
      'action_receipt_v0',
      {
        receiver: each.receiver,
        act_digest: receipt.actDigest,
        global_sequence: String(receipt.globalSequence),
        recv_sequence: String(receipt.recvSequence),
        auth_sequence: receipt.authSequence.map((auth) => ({ account: auth.account, sequence: String(auth.sequence) })),
        code_sequence: receipt.codeSequence,
        abi_sequence: receipt.abiSequence,
      },
    ],
    receiver: each.receiver,
    act: { account, name, authorization, data: data.toString('hex') },
    context_free: contextFree,
    elapsed: String(each.elapsed),
    console: each.console.toString('utf8'),
    account_ram_deltas: each.accountRamDeltas.map((delta) => ({ account: delta.account, delta: String(delta.delta) })),
    except: each.except ?? null,
    error_code: each.errorCode === undefined ? null : String(each.errorCode),
    return_value: each.returnValue.toString('hex'),
  };
}
