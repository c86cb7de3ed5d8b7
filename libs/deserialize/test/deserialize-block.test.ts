import {
  blockTimestampToString,
  ByteReader,
  readName,
  readSignature,
  signatureToString,
  timePointSecToString,
} from '@antelope-history/abi';
import { openSample, SAMPLES, type SampleName } from '@antelope-history/test-support/recordings';
import { PublicKey } from '@wharfkit/antelope';
import { TRANSACTION_STATUS } from '../src/index';
import {
  decodeActionRecord,
  type ActionRecord,
  type ActionTrace,
  type TransactionRecord,
} from '@antelope-history/records';
import { recordedBlocks, type RecordedBlock, type WharfkitAction, type WharfkitTrace } from './recorded-blocks';

/** The size of each sample; a comparison that skips something does not reach these numbers. */
const COUNTS: Record<SampleName, Counts> = {
  'leap-edge': {
    messages: 537,
    transactions: 1912,
    actionTraces: 3651,
    receipts: 1378,
    roots: 1389,
    permissions: 125,
    abis: 14,
  },
  'leap-forks': {
    messages: 391,
    transactions: 486,
    actionTraces: 582,
    receipts: 96,
    roots: 114,
    permissions: 51,
    abis: 8,
  },
  'leap-snapshot': {
    messages: 58,
    transactions: 146,
    actionTraces: 351,
    receipts: 89,
    roots: 89,
    permissions: 105,
    abis: 7,
  },
  'eosio20-edge': {
    messages: 298,
    transactions: 1339,
    actionTraces: 2855,
    receipts: 1044,
    roots: 1058,
    permissions: 114,
    abis: 14,
  },
  'spring-savanna': {
    messages: 737,
    transactions: 3352,
    actionTraces: 8484,
    receipts: 2620,
    roots: 3244,
    permissions: 415,
    abis: 19,
  },
};

interface Counts {
  messages: number;
  /** Executed transactions; `actionTraces` counts their traces. */
  transactions: number;
  actionTraces: number;
  /** Receipts with a trace of the same id. */
  receipts: number;
  /** Root actions of executed packed transactions. */
  roots: number;
  permissions: number;
  abis: number;
}

describe.each(SAMPLES)('%s, decoded by wharfkit and deserialized into records', (sample) => {
  const blocks = [...recordedBlocks(openSample(sample))];
  const counts = COUNTS[sample];

  it(`has the same ${counts.actionTraces} action traces in ${counts.transactions} transactions of ${counts.messages} messages`, () => {
    let transactions = 0;
    let actionTraces = 0;
    for (const { records, traces, receipts } of blocks) {
      const executed = traces.filter(({ status, action_traces }) => status === 0 && action_traces.length > 0);
      expect(records.transactions.map((record) => record.id.toString('hex'))).toEqual(executed.map(({ id }) => id));
      const implicit = traces.length - receipts.length;
      records.transactions.forEach((record, index) => {
        const trace = executed[index]!;
        expect(record.receiptIndex).toBe(traces.indexOf(trace) - implicit);
        expect(traceJson(record)).toEqual(trace.action_traces.map((action) => withAncestor(action, trace)));
        transactions++;
        actionTraces += trace.action_traces.length;
      });
    }
    expect({ messages: blocks.length, transactions, actionTraces }).toEqual({
      messages: counts.messages,
      transactions: counts.transactions,
      actionTraces: counts.actionTraces,
    });
  });

  it('has the same statuses, usages, headers and signatures', () => {
    for (const { records, traces, receipts } of blocks) {
      for (const record of records.transactions) {
        const trace = traces.find(({ id }) => id === record.id.toString('hex'))!;
        const receipt = receipts[record.receiptIndex];
        const { status, cpu_usage_us, net_usage_words } = receipt ?? trace;
        expect(record).toMatchObject({ status, cpuUsageUs: cpu_usage_us, netUsageWords: net_usage_words });
        expect(partialJson(record)).toEqual(receipt?.actions ? null : expectedPartial(trace));
      }
    }
  });

  it('indexes each action by sequence, contract, receivers and authorizers', () => {
    for (const { records } of blocks) {
      for (const { actions, firstSequence, sequenceCount } of records.transactions) {
        const sequences: number[] = [];
        for (const entry of actions) {
          const action = decodeActionRecord(entry.bytes, firstSequence);
          const own = action.traces[0]!;
          expect(entry).toMatchObject({
            account: action.account,
            name: action.name,
            sequence: own.receipt.globalSequence,
            root: own.creatorOrdinal === 0,
          });
          const involved = [
            ...action.traces.map(({ receiver }) => receiver),
            ...action.authorization.map(({ actor }) => actor),
          ];
          expect(entry.accounts).toEqual([...new Set(involved)]);
          sequences.push(...action.traces.map(({ receipt }) => receipt.globalSequence));
        }
        sequences.sort((left, right) => left - right);
        expect(sequences).toEqual(Array.from({ length: sequenceCount }, (_, index) => firstSequence + index));
        expect(actions).toEqual([...actions].sort((left, right) => left.sequence - right.sequence));
      }
    }
  });

  it(`matches ${counts.receipts} receipts with their traces by id`, () => {
    let matched = 0;
    for (const { traces, receipts } of blocks) {
      const ofReceipts = traces.slice(traces.length - receipts.length);
      for (const [index, { id }] of receipts.entries()) {
        const trace = ofReceipts[index]!;
        expect(trace.failed_dtrx_trace?.id ?? trace.id).toBe(id);
        matched++;
      }
    }
    expect(matched).toBe(counts.receipts);
  });

  it(`gives the sequences of ${counts.roots} root actions, and the next sequence where nothing was executed`, () => {
    let roots = 0;
    for (const { records, traces, receipts } of blocks) {
      const bySequence = new Map(
        traces
          .flatMap(({ action_traces }) => action_traces)
          .map((action) => [action.receipt?.global_sequence, action.act]),
      );
      expect(records.rootSequences.length).toBe(receipts.length);
      for (const [index, { status, actions }] of receipts.entries()) {
        const sequences = records.rootSequences[index]!;
        const record = records.transactions.find(({ receiptIndex }) => receiptIndex === index);
        expect(record === undefined).toBe(status > TRANSACTION_STATUS.softFail);
        if (!record) expectBetween(sequences, records.transactions, index);
        else if (actions) {
          expect(sequences.map((sequence) => bySequence.get(sequence))).toEqual(actions);
          roots += actions.length;
        }
      }
    }
    expect(roots).toBe(counts.roots);
  });

  it(`has all ${counts.permissions} changes of permissions and ${counts.abis} of ABIs`, () => {
    let permissions = 0;
    let abis = 0;
    for (const block of blocks) {
      expect(permissionJson(block)).toEqual(expectedPermissions(block));
      expect(abiJson(block)).toEqual(expectedAbis(block));
      permissions += block.records.permissionChanges.length;
      abis += block.records.abiChanges.length;
    }
    expect({ permissions, abis }).toEqual({ permissions: counts.permissions, abis: counts.abis });
  });

  it('has the time and the parent of the block', () => {
    for (const { records } of blocks) {
      if (!records.block) continue;
      const reader = new ByteReader(records.block);
      expect(records.timestamp).toBe(reader.uint32());
      expect(blockTimestampToString(records.timestamp)).toMatch(/^20/);
      reader.skip(10);
      const previous = reader.slice(32).toString('hex');
      if (records.previous) expect(records.previous.id).toBe(previous);
    }
  });
});

/** One sequence: above those of the transactions before the receipt, at most that of the next transaction. */
function expectBetween(sequences: number[], transactions: TransactionRecord[], receiptIndex: number): void {
  expect(sequences.length).toBe(1);
  for (const { receiptIndex: other, firstSequence, sequenceCount } of transactions) {
    if (other < receiptIndex) expect(sequences[0]).toBeGreaterThanOrEqual(firstSequence + sequenceCount);
    else expect(sequences[0]).toBeLessThanOrEqual(firstSequence);
  }
}

/** All traces of a transaction's records, in ascending order of ordinal. */
function traceJson(record: TransactionRecord): object[] {
  const traces = record.actions
    .map(({ bytes }) => decodeActionRecord(bytes, record.firstSequence))
    .flatMap((action) => action.traces.map((trace) => actionJson(action, trace)));
  return traces.sort((left, right) => left.action_ordinal - right.action_ordinal);
}

function actionJson(action: ActionRecord, trace: ActionTrace): WharfkitAction & { closest_ancestor: number } {
  const { receipt } = trace;
  return {
    action_ordinal: trace.ordinal,
    creator_action_ordinal: trace.creatorOrdinal,
    closest_ancestor: trace.closestUnnotifiedAncestorOrdinal,
    receipt: {
      receiver: trace.receiver,
      act_digest: receipt.actDigest,
      global_sequence: receipt.globalSequence,
      recv_sequence: integer(receipt.recvSequence),
      auth_sequence: receipt.authSequence.map(({ account, sequence }) => ({ account, sequence: integer(sequence) })),
      code_sequence: receipt.codeSequence,
      abi_sequence: receipt.abiSequence,
    },
    receiver: trace.receiver,
    act: {
      account: action.account,
      name: action.name,
      authorization: action.authorization,
      data: action.data.toString('hex'),
    },
    context_free: action.contextFree,
    elapsed: integer(trace.elapsed),
    console: trace.console.toString('utf8'),
    account_ram_deltas: trace.accountRamDeltas.map(({ account, delta }) => ({ account, delta: integer(delta) })),
    except: trace.except ?? null,
    error_code: trace.errorCode === undefined ? null : integer(trace.errorCode),
    return_value: trace.returnValue.toString('hex'),
  };
}

/** wharfkit's action with its closest ancestor that is not a notification, found by following the creators. */
function withAncestor(action: WharfkitAction, { action_traces }: WharfkitTrace): object {
  let creator = action_traces[action.creator_action_ordinal - 1];
  while (creator && creator.creator_action_ordinal !== 0 && creator.receiver !== creator.act.account) {
    creator = action_traces[creator.creator_action_ordinal - 1];
  }
  return { return_value: '', ...action, closest_ancestor: creator?.action_ordinal ?? 0 };
}

/** wharfkit's JSON: a number up to 32 bits, else a string. */
function integer(value: bigint): number | string {
  return value > 0xffffffffn || value < -0xffffffffn ? String(value) : Number(value);
}

function partialJson({ partial }: TransactionRecord): object | null {
  if (!partial) return null;
  return {
    id: partial.id,
    expiration: timePointSecToString(partial.expiration),
    ref_block_num: partial.refBlockNum,
    ref_block_prefix: partial.refBlockPrefix,
    max_net_usage_words: partial.maxNetUsageWords,
    max_cpu_usage_ms: partial.maxCpuUsageMs,
    delay_sec: partial.delaySec,
    signatures: partial.signatures.map((packed) => signatureToString(readSignature(new ByteReader(packed)))),
  };
}

/** For a failed deferred transaction the header is in its own trace, inside the trace of onerror. */
function expectedPartial(trace: WharfkitTrace): object {
  const { id, partial } = trace.failed_dtrx_trace ?? trace;
  const {
    transaction_extensions: _t,
    context_free_data: _c,
    ...header
  } = partial as unknown as Record<string, unknown>;
  return { id, ...header };
}

interface PermissionRow {
  owner: string;
  name: string;
  auth: { keys: { key: string }[]; accounts: { permission: { actor: string } }[] };
}

function permissionJson({ records }: RecordedBlock): object[] {
  return records.permissionChanges.map(({ owner, name, authority }) => ({
    owner,
    name,
    authority: authority && { ...authority, keys: authority.keys.map((key) => key.toString('hex')) },
  }));
}

/** The last row of each permission, without the reserved permission that has no owner. */
function expectedPermissions({ deltas }: RecordedBlock): object[] {
  const changes = new Map<string, object>();
  for (const { present, row } of deltas.filter(({ name }) => name === 'permission').flatMap(({ rows }) => rows)) {
    const { owner, name, auth } = row as unknown as PermissionRow;
    if (owner === '') continue;
    const keys = auth.keys.map(({ key }) => canonicalKey(PublicKey.from(key)));
    const authority = present ? { keys, actors: auth.accounts.map(({ permission }) => permission.actor) } : undefined;
    changes.set(`${owner}@${name}`, { owner, name, authority });
  }
  return [...changes.values()];
}

function canonicalKey(key: PublicKey): string {
  return Buffer.concat([Buffer.from([['K1', 'R1', 'WA'].indexOf(key.type)]), key.data.array]).toString('hex');
}

function abiJson({ records }: RecordedBlock): object[] {
  return records.abiChanges.map(({ account, sequence, abi }) => ({ account, sequence, abi: abi.toString('hex') }));
}

/** The ABIs of setabi actions, and those in the state without an action (genesis, snapshot). */
function expectedAbis({ traces, deltas }: RecordedBlock): object[] {
  const set = traces
    .filter(({ status }) => status === 0)
    .flatMap(({ action_traces }) => action_traces)
    .filter(({ receiver, act }) => receiver === 'eosio' && act.account === 'eosio' && act.name === 'setabi')
    .map(({ act, receipt }) => {
      const reader = new ByteReader(Buffer.from(act.data, 'hex'));
      const account = readName(reader.slice(8), 0);
      return { account, sequence: receipt!.global_sequence, abi: reader.lengthPrefixed().toString('hex') };
    });
  const rows = deltas.filter(({ name }) => name === 'account').flatMap((delta) => delta.rows);
  const states = rows.map(({ row }) => ({ account: row['name'] as string, sequence: 0, abi: row['abi'] as string }));
  return [
    ...set,
    ...states.filter(({ account, abi }) => abi !== '' && set.every((change) => change.account !== account)),
  ];
}
