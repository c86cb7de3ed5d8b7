import {
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  sampleFolder,
} from '@antelope-history/test-support/recordings';
import type { SampleName } from '@antelope-history/test-support/recordings';

/** An action as a recorded node showed it. */
export interface RecordedAction {
  account: string;
  name: string;
  bytes: Buffer;
  /** Its data as JSON text in canonical spelling (`canonicalJson`); undefined where the node showed hex. */
  json: string | undefined;
}

export interface RecordedReturn {
  account: string;
  name: string;
  bytes: Buffer;
  json: string;
}

interface NodeAction {
  account: string;
  name: string;
  data: unknown;
  hex_data?: string;
}

/** What the node's `/v1/chain/get_block` shows of the actions that transactions carried. */
export function recordedActions(sample: SampleName): RecordedAction[] {
  return blockActions(sample).map(toRecordedAction);
}

/** The ABIs in force at the end of a recording: the last each contract set. The node decodes all its answers by them. */
export function lastAbis(sample: SampleName): Map<string, Buffer> {
  const abis = new Map<string, Buffer>();
  for (const { account, name, data } of blockActions(sample)) {
    if (account !== 'eosio' || name !== 'setabi') continue;
    const { account: contract, abi } = data as { account: string; abi: string };
    abis.set(contract, Buffer.from(abi, 'hex'));
  }
  return abis;
}

/** What the original history plugin shows, inline actions and notifications included. */
export function recordedHistoryActions(sample: SampleName): RecordedAction[] {
  const actions: RecordedAction[] = [];
  for (const { path, status, body } of readHistoryResponses(sampleFolder(sample))) {
    if (status !== 200 || !path.endsWith('get_actions')) continue;
    const answer = parseExact(body) as { actions: { action_trace: { act: NodeAction } }[] };
    actions.push(...answer.actions.map(({ action_trace }) => toRecordedAction(action_trace.act)));
  }
  return actions;
}

/** The decoded parameters and return values of the node's `/v1/trace_api/get_block`. */
export function recordedTraces(sample: SampleName): { params: RecordedAction[]; returns: RecordedReturn[] } {
  const params: RecordedAction[] = [];
  const returns: RecordedReturn[] = [];
  for (const { status, body } of readTraceBlocks(sampleFolder(sample))) {
    if (status !== 200) continue;
    for (const trace of (parseExact(body) as { transactions: { actions: TraceAction[] }[] }).transactions) {
      for (const action of trace.actions) {
        const { account, action: name } = action;
        const bytes = Buffer.from(action.data, 'hex');
        if (action.params !== undefined) params.push({ account, name, bytes, json: JSON.stringify(action.params) });
        if (action.return_data === undefined) continue;
        const returned = Buffer.from(action.return_value, 'hex');
        returns.push({ account, name, bytes: returned, json: JSON.stringify(action.return_data) });
      }
    }
  }
  return { params, returns };
}

interface TraceAction {
  account: string;
  action: string;
  data: string;
  params?: unknown;
  return_value: string;
  return_data?: unknown;
}

function blockActions(sample: SampleName): NodeAction[] {
  const actions: NodeAction[] = [];
  for (const { body } of readChainBlocks(sampleFolder(sample))) {
    for (const receipt of (parseExact(body) as { transactions: Receipt[] }).transactions) {
      if (typeof receipt.trx === 'string') continue;
      const { context_free_actions, actions: own } = receipt.trx.transaction;
      actions.push(...context_free_actions, ...own);
    }
  }
  return actions;
}

interface Receipt {
  trx: string | { transaction: { context_free_actions: NodeAction[]; actions: NodeAction[] } };
}

function toRecordedAction({ account, name, data, hex_data }: NodeAction): RecordedAction {
  if (typeof data === 'string') return { account, name, bytes: Buffer.from(data, 'hex'), json: undefined };
  return { account, name, bytes: Buffer.from(hex_data ?? '', 'hex'), json: JSON.stringify(data) };
}

/** JSON text spelled as JSON.stringify does, its long integers in quotes: comparable digit for digit. */
export function canonicalJson(text: string): string {
  return JSON.stringify(parseExact(text));
}

function parseExact(text: string): unknown {
  return JSON.parse(text.replace(/(?<=[:,[])(-\d{16,})(?=[\]},])/g, '"exact $1"'));
}
