import { PackedTypes, type TypeDefinitions } from './packed-types';
import type { ChainState, Permission } from './chain-state';
import type { GeneratedTransaction } from './generated-block';

/** Numbers of transaction statuses (nodeos transaction_receipt_header::status_enum). */
export const STATUS_NUMBERS = { executed: 0, delayed: 3, expired: 4 } as const;

export interface ChainPosition {
  num: number;
  id: string;
}

export interface ResultParts {
  head: ChainPosition;
  lastIrreversible: ChainPosition;
  thisBlock: ChainPosition;
  prevBlock: ChainPosition | undefined;
  block: Buffer | undefined;
  traces: Buffer | undefined;
  deltas: Buffer | undefined;
  /** Only nodes of Savanna chains send them. */
  finalityData?: Buffer | undefined;
}

/** Packs what a node sends, by the ABI frame of a real node. */
export class ShipLayouts {
  readonly types: PackedTypes;

  constructor(readonly abiFrame: string) {
    this.types = new PackedTypes(JSON.parse(abiFrame) as TypeDefinitions);
  }

  /** A `get_blocks_result_v0`, or `_v1` for parts with finality data. */
  result({ head, lastIrreversible, thisBlock, prevBlock, block, traces, deltas, finalityData }: ResultParts): Buffer {
    const position = (at: ChainPosition | undefined): unknown => at && { block_num: at.num, block_id: at.id };
    const fields = {
      head: position(head),
      last_irreversible: position(lastIrreversible),
      this_block: position(thisBlock),
      prev_block: position(prevBlock) ?? null,
      block: block ?? null,
      traces: traces ?? null,
      deltas: deltas ?? null,
    };
    return finalityData
      ? this.types.pack('result', ['get_blocks_result_v1', { ...fields, finality_data: finalityData }])
      : this.types.pack('result', ['get_blocks_result_v0', fields]);
  }

  traces(transactions: readonly GeneratedTransaction[]): Buffer {
    return this.types.pack('transaction_trace[]', transactions.map(transactionTrace));
  }

  /** The rows that a block changed. */
  deltas(state: ChainState): Buffer {
    const abis = [...state.changedAbis].map((account) => this.accountRow(account, state));
    const permissions = [...state.changedPermissions].map((key) => {
      const permission = state.permissions.get(key);
      return permission ? this.permissionRow(permission) : this.removedPermissionRow(key);
    });
    return this.tables({ account: abis, permission: permissions });
  }

  /** All rows, as a node sends them for the first block of its log: that of genesis or of a snapshot. */
  fullState(state: ChainState): Buffer {
    return this.tables({
      account: [...state.abis.keys()].map((account) => this.accountRow(account, state)),
      permission: [...state.permissions.values()].map((permission) => this.permissionRow(permission)),
    });
  }

  private tables(rows: Record<string, Row[]>): Buffer {
    // A node sends rows of resource usage with every block.
    const all = Object.entries({ ...rows, resource_usage: [this.usageRow()] }).filter(([, list]) => list.length > 0);
    return this.types.pack(
      'table_delta[]',
      all.map(([name, list]) => ['table_delta_v0', { name, rows: list }]),
    );
  }

  private accountRow(account: string, state: ChainState): Row {
    const abi = state.abis.get(account)?.bytes ?? Buffer.alloc(0);
    const row = { name: account, creation_date: '2020-01-01T00:00:00.000', abi };
    return { present: true, data: this.types.pack('account', ['account_v0', row]) };
  }

  private permissionRow(permission: Permission): Row {
    const row = { ...permission, last_updated: '2020-01-01T00:00:00.000' };
    return { present: true, data: this.types.pack('permission', ['permission_v0', row]) };
  }

  private removedPermissionRow(key: string): Row {
    const [owner = '', name = ''] = key.split('@');
    const auth = { threshold: 1, keys: [], accounts: [], waits: [] };
    return { ...this.permissionRow({ owner, name, parent: 'active', auth }), present: false };
  }

  private usageRow(): Row {
    const usage = ['usage_accumulator_v0', { last_ordinal: 1, value_ex: '0', consumed: '0' }];
    const row = { owner: 'eosio', net_usage: usage, cpu_usage: usage, ram_usage: '2724' };
    return { present: true, data: this.types.pack('resource_usage', ['resource_usage_v0', row]) };
  }
}

interface Row {
  present: boolean;
  data: Buffer;
}

function transactionTrace({ id, status, cpuUsageUs, netUsageWords, signed, traces }: GeneratedTransaction): unknown {
  return [
    'transaction_trace_v0',
    {
      id,
      status: STATUS_NUMBERS[status],
      cpu_usage_us: cpuUsageUs,
      net_usage_words: netUsageWords,
      elapsed: '0',
      net_usage: String(netUsageWords * 8),
      scheduled: false,
      action_traces: traces.map(actionTrace),
      account_ram_delta: null,
      except: null,
      error_code: null,
      failed_dtrx_trace: null,
      partial: signed
        ? [
            'partial_transaction_v0',
            {
              ...signed.header,
              transaction_extensions: [],
              signatures: signed.signatures,
              context_free_data: signed.contextFreeData,
            },
          ]
        : null,
    },
  ];
}

function actionTrace(trace: GeneratedTransaction['traces'][number]): unknown {
  const { action, ordinal, creatorOrdinal, receiver, contextFree, receipt } = trace;
  const { account, name, authorization, data, console = '', ramDeltas = [], returnValue } = action.spec;
  const isOwn = action.traces[0] === trace;
  return [
    'action_trace_v1',
    {
      action_ordinal: ordinal,
      creator_action_ordinal: creatorOrdinal,
      receipt: [
        'action_receipt_v0',
        {
          receiver,
          act_digest: receipt.actDigest.toString('hex'),
          global_sequence: String(receipt.globalSequence),
          recv_sequence: String(receipt.recvSequence),
          auth_sequence: receipt.authSequence.map(([each, sequence]) => ({
            account: each,
            sequence: String(sequence),
          })),
          code_sequence: receipt.codeSequence,
          abi_sequence: receipt.abiSequence,
        },
      ],
      receiver,
      act: { account, name, authorization, data },
      context_free: contextFree,
      elapsed: '0',
      console: isOwn ? console : '',
      account_ram_deltas: isOwn
        ? ramDeltas.map(({ account: each, delta }) => ({ account: each, delta: String(delta) }))
        : [],
      except: null,
      error_code: null,
      return_value: isOwn && returnValue ? returnValue.packed : Buffer.alloc(0),
    },
  ];
}
