import { PublicKey } from '@wharfkit/antelope';
import type { BlockPosition } from '@antelope-history/schemas';
import { openSample, type Recording, type SampleName, SAMPLES } from '@antelope-history/test-support/recordings';
import { type BlocksResult, createShipProtocol, type PermissionRow } from '../src/index';
import { traceToJson } from './trace-json';
import { WharfkitDecoder, type WharfkitPosition } from './wharfkit-results';

/** The contents of each sample. A comparison that skips data does not reach these numbers. */
const COUNTS: Record<SampleName, { messages: number; transactions: number; actions: number; rows: number }> = {
  'leap-edge': { messages: 537, transactions: 1914, actions: 3656, rows: 183 },
  'leap-forks': { messages: 391, transactions: 486, actions: 582, rows: 74 },
  'leap-snapshot': { messages: 58, transactions: 146, actions: 351, rows: 157 },
  'eosio20-edge': { messages: 298, transactions: 1341, actions: 2859, rows: 171 },
  'spring-savanna': { messages: 737, transactions: 3356, actions: 8484, rows: 508 },
};

describe.each(SAMPLES)('%s, decoded by wharfkit and by the compiled readers', (sample) => {
  const recording = openSample(sample);
  const wharfkit = new WharfkitDecoder(recording);
  const protocol = createShipProtocol(recording.abi);
  const counts = COUNTS[sample];

  it(`has the same contents in ${counts.messages} results`, () => {
    for (const { bytes } of recording.messages) {
      const result = protocol.readResult(bytes);
      if (result.kind !== 'blocks') throw new Error('not a result of blocks');
      expect(resultToJson(result.blocks)).toEqual(wharfkit.result(bytes));
    }
    expect(recording.messages.length).toBe(counts.messages);
  });

  it(`has the same contents in ${counts.transactions} transactions with ${counts.actions} action traces`, () => {
    let transactions = 0;
    let actions = 0;
    for (const { traces } of blockResults(recording)) {
      if (!traces) continue;
      const expected = wharfkit.decode('transaction_trace[]', traces) as [string, WharfkitTrace][];
      const shown: object[] = [];
      protocol.readTraces(traces, (view) => {
        shown.push(traceToJson(view, traces));
        actions += view.actionCount + (view.failed?.actionCount ?? 0);
      });
      expect(shown).toEqual(expected.map(([, trace]) => shownTrace(trace)));
      transactions += shown.length;
    }
    expect({ transactions, actions }).toEqual({ transactions: counts.transactions, actions: counts.actions });
  });

  it(`has the same contents in ${counts.rows} rows of accounts and permissions`, () => {
    let rows = 0;
    for (const { deltas } of blockResults(recording)) {
      if (!deltas) continue;
      const expected = expectedRows(wharfkit, deltas);
      const shown: object[] = [];
      protocol.readDeltas(deltas, {
        account: ({ name, abi }) => shown.push({ name, abi: abi.toString('hex') }),
        permission: (row) => shown.push(permissionToJson(row)),
      });
      expect(shown).toEqual(expected);
      rows += shown.length;
    }
    expect(rows).toBe(counts.rows);
  });

  function* blockResults({ messages }: Recording): Generator<BlocksResult> {
    for (const { bytes } of messages) {
      const result = protocol.readResult(bytes);
      if (result.kind === 'blocks') yield result.blocks;
    }
  }
});

function resultToJson(result: BlocksResult): object {
  return {
    head: positionToJson(result.head),
    last_irreversible: positionToJson(result.lastIrreversible),
    this_block: positionToJson(result.thisBlock),
    prev_block: positionToJson(result.prevBlock),
    block: result.block?.toString('hex') ?? null,
    traces: result.traces?.toString('hex') ?? null,
    deltas: result.deltas?.toString('hex') ?? null,
  };
}

function positionToJson(position: BlockPosition | undefined): WharfkitPosition | null {
  return position === undefined ? null : { block_num: position.num, block_id: position.id };
}

interface WharfkitTrace {
  action_traces: [string, WharfkitAction][];
  failed_dtrx_trace: [string, WharfkitTrace] | null;
  partial: [string, Record<string, unknown>] | null;
  [field: string]: unknown;
}

interface WharfkitAction {
  receipt: [string, { receiver: string }] | null;
  receiver: string;
  return_value?: string;
}

/** Removes from wharfkit's trace the fields that the views omit, and the names of variant alternatives. */
function shownTrace(trace: WharfkitTrace): object {
  const { elapsed: _e, net_usage: _n, account_ram_delta: _r, except: _x, error_code: _c, ...shown } = trace;
  return {
    ...shown,
    action_traces: trace.action_traces.map(([, action]) => shownAction(action)),
    failed_dtrx_trace: trace.failed_dtrx_trace === null ? null : shownTrace(trace.failed_dtrx_trace[1]),
    partial: trace.partial === null ? null : shownPartial(trace.partial[1]),
  };
}

/** EOSIO 2.0 has no return values. The receiver of a receipt equals the receiver of its trace. */
function shownAction({ receipt, ...action }: WharfkitAction): object {
  if (receipt === null) return { return_value: '', ...action, receipt };
  const { receiver, ...shown } = receipt[1];
  expect(receiver).toBe(action.receiver);
  return { return_value: '', ...action, receipt: shown };
}

function shownPartial({
  transaction_extensions: _t,
  context_free_data: _c,
  ...shown
}: Record<string, unknown>): object {
  return shown;
}

interface WharfkitPermission {
  owner: string;
  name: string;
  auth: { keys: { key: string }[]; accounts: { permission: { actor: string } }[] };
}

function expectedRows(wharfkit: WharfkitDecoder, deltas: Buffer): object[] {
  const rows: object[] = [];
  for (const delta of wharfkit.deltas(deltas.toString('hex'))) {
    if (delta.name !== 'account' && delta.name !== 'permission') continue;
    for (const { present, data } of delta.rows) {
      const [, row] = wharfkit.decode(delta.name, data) as [string, { name: string; abi: string } & WharfkitPermission];
      if (delta.name === 'account') rows.push({ name: row.name, abi: row.abi });
      else rows.push(expectedPermission(row, present));
    }
  }
  return rows;
}

function expectedPermission({ owner, name, auth }: WharfkitPermission, present: boolean): object {
  const keys = auth.keys.map(({ key }) => canonicalKey(PublicKey.from(key)));
  return { present, owner, name, keys, actors: auth.accounts.map(({ permission }) => permission.actor) };
}

function canonicalKey(key: PublicKey): string {
  const tag = ['K1', 'R1', 'WA'].indexOf(key.type);
  return Buffer.concat([Buffer.from([tag]), key.data.array]).toString('hex');
}

function permissionToJson({ keys, ...row }: PermissionRow): object {
  return { ...row, keys: keys.map((key) => key.toString('hex')) };
}
