import { isDeepStrictEqual } from 'node:util';
import type { WrittenAction, WrittenChain } from './written-chain';

/** Whether a response says what the generator wrote. */

interface ActJson {
  account: string;
  name: string;
  authorization: unknown[];
  data: unknown;
  hex_data?: string;
  /** Bytes of the data that are not given, as even their hex does not fit. */
  omitted_bytes?: number;
}

export interface ActionsPage {
  actions: ActionRow[];
  more: boolean;
}

interface ActionRow {
  global_action_seq: number | string;
  action_trace: { act: ActJson };
}

/** Expected data are compared as text, too, when they are as short as this: JSON.parse forgets the order of names. */
const SHORT = 1000;

export class ResponseChecks {
  private readonly bySequence = new Map<number, WrittenAction>();
  private readonly parsed = new Map<string, unknown>();

  constructor(private readonly written: WrittenChain) {
    for (const action of written.actions) {
      for (const sequence of action.sequences.values()) this.bySequence.set(sequence, action);
    }
  }

  /** The global sequences of the rows that an account has, ascending. */
  rowsOf(account: string): number[] {
    const rows = this.written.actions.flatMap(({ sequences, authorizers }) => {
      const received = sequences.get(account);
      if (received !== undefined) return [received];
      return authorizers.has(account) ? [Math.min(...sequences.values())] : [];
    });
    return rows.sort((left, right) => left - right);
  }

  /** What is wrong with the rows of a page; undefined when nothing is. */
  actions(rows: readonly ActionRow[], body: string): string | undefined {
    return firstFault(rows, (row) => this.act(Number(row.global_action_seq), row.action_trace.act, body));
  }

  transaction(id: string, body: string): string | undefined {
    const transaction = this.written.transactions.find((each) => each.id === id);
    const { traces } = JSON.parse(body) as { traces: TraceJson[] };
    if (traces.length !== transaction?.traces) return `${traces.length} of ${transaction?.traces} traces`;
    return firstFault(traces, ({ receipt, act }) => this.act(Number(receipt.global_sequence), act, body));
  }

  chainBlock(num: number, body: string): string | undefined {
    const { id, transactions } = JSON.parse(body) as { id: string; transactions: { trx: { id: string } }[] };
    if (id !== this.written.blocks.find((block) => block.num === num)?.id) return `block ${id}`;
    const ids = this.written.transactions.filter((each) => each.blockNum === num).map((each) => each.id);
    return isDeepStrictEqual(
      transactions.map(({ trx }) => trx.id),
      ids,
    )
      ? undefined
      : 'other transactions';
  }

  traceBlock(num: number, body: string): string | undefined {
    const { transactions } = JSON.parse(body) as { transactions: { actions: TracedAction[] }[] };
    const actions = transactions.flatMap((transaction) => transaction.actions);
    const ofBlock = this.written.actions.filter(({ blockNum, contextFree }) => blockNum === num && !contextFree);
    const traces = ofBlock.reduce((sum, { sequences }) => sum + sequences.size, 0);
    if (actions.length !== traces) return `${actions.length} of ${traces} actions`;
    return firstFault(actions, (action) => this.tracedAction(action, body));
  }

  private act(sequence: number, act: ActJson, body: string): string | undefined {
    const action = this.bySequence.get(sequence);
    if (!action) return undefined;
    const { data, hex_data: hex = '', omitted_bytes: omitted } = act;
    if (act.account !== action.account || act.name !== action.name) return `${act.account}:${act.name} at ${sequence}`;
    if (omitted !== undefined) return omitted === action.data.length ? undefined : `${omitted} bytes left out`;
    if (hex !== action.data.toString('hex')) return `hex_data of ${hex.length} characters at ${sequence}`;
    return this.decoded(action, data === hex ? undefined : data, body, 'data');
  }

  private tracedAction(traced: TracedAction, body: string): string | undefined {
    const action = this.bySequence.get(Number(traced.global_sequence));
    if (!action) return undefined;
    if (traced.omitted_bytes !== undefined) return undefined;
    if (traced.data !== action.data.toString('hex')) return `data at ${traced.global_sequence}`;
    return this.decoded(action, traced.params, body, 'params');
  }

  /** `value` is what the data were decoded to; undefined when they were not. */
  private decoded({ expected, name }: WrittenAction, value: unknown, body: string, field: string): string | undefined {
    if (expected === undefined) return undefined;
    if (expected === 'undecodable') return value === undefined ? undefined : `${name} was decoded`;
    if (value === undefined) return expected.mayBeHex ? undefined : `${name} was not decoded`;
    if (!isDeepStrictEqual(value, this.parse(expected.json))) return `${name} was decoded to something else`;
    const isThere = expected.json.length > SHORT || body.includes(`"${field}":${expected.json}`);
    return isThere ? undefined : `${name}: names in another order`;
  }

  private parse(json: string): unknown {
    let value = this.parsed.get(json);
    if (value === undefined) this.parsed.set(json, (value = JSON.parse(json)));
    return value;
  }
}

interface TraceJson {
  receipt: { global_sequence: number | string };
  act: ActJson;
}

interface TracedAction {
  global_sequence: number | string;
  data: string;
  params?: unknown;
  omitted_bytes?: number;
}

function firstFault<T>(entries: readonly T[], faultOf: (entry: T) => string | undefined): string | undefined {
  for (const entry of entries) {
    const fault = faultOf(entry);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
