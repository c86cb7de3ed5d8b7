import {
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  sampleFolder,
} from '@antelope-history/test-support/recordings';
import type { SampleName } from '@antelope-history/test-support/recordings';

/** An action in a recorded response of a node. */
export interface RecordedAction {
  account: string;
  name: string;
  bytes: Buffer;
  /** The decoded data as canonical JSON text (`canonicalJson`); undefined where the node shows hex. */
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

/** The actions of the transactions in the node's responses to `/v1/chain/get_block`. */
export function recordedActions(sample: SampleName): RecordedAction[] {
  return blockActions(sample).map(toRecordedAction);
}

/** The last ABI that each contract set in a recording. The node used these ABIs for all its recorded responses. */
export function lastAbis(sample: SampleName): Map<string, Buffer> {
  const abis = new Map<string, Buffer>();
  for (const { account, name, data } of blockActions(sample)) {
    if (account !== 'eosio' || name !== 'setabi') continue;
    const { account: contract, abi } = data as { account: string; abi: string };
    abis.set(contract, Buffer.from(abi, 'hex'));
  }
  return abis;
}

/** The actions in the responses of the original history plugin, with inline actions and notifications. */
export function recordedHistoryActions(sample: SampleName): RecordedAction[] {
  const actions: RecordedAction[] = [];
  for (const { path, status, body } of readHistoryResponses(sampleFolder(sample))) {
    if (status !== 200 || !path.endsWith('get_actions')) continue;
    const response = parseExact(body) as { actions: { action_trace: { act: NodeAction } }[] };
    actions.push(...response.actions.map(({ action_trace }) => toRecordedAction(action_trace.act)));
  }
  return actions;
}

/** The decoded parameters and return values in the node's responses to `/v1/trace_api/get_block`. */
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

/** JSON text as JSON.stringify prints it, with long integers in quotes, so that comparisons include all digits. */
export function canonicalJson(text: string): string {
  return JSON.stringify(parseExact(text));
}

function parseExact(text: string): unknown {
  return JSON.parse(text.replace(/(?<=[:,[])(-\d{16,})(?=[\]},])/g, '"exact $1"'));
}
