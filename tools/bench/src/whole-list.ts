import { createHash } from 'node:crypto';

/** The fields of a row of get_actions for filters and comparisons. */
export interface Row {
  account: string;
  name: string;
  actors: string[];
  /** Whether no other action created the trace of the row. */
  root: boolean;
  blockNum: number;
  timeMs: number;
  /** Digest of the row's whole JSON. */
  digest: string;
}

export interface Page {
  rows: Row[];
  more: boolean;
}

interface RowJson {
  block_num: number;
  block_time: string;
  action_trace: {
    creator_action_ordinal: number;
    act: { account: string; name: string; authorization: { actor: string }[] };
  };
}

const ROWS_AT_ONCE = 1000;

/** Requests one page. Throws when the status is not 200. */
export async function fetchPage(url: string, request: Record<string, unknown>): Promise<Page> {
  const text = await fetchText(url, request);
  const { actions, more } = JSON.parse(text) as { actions: RowJson[]; more: boolean };
  return { rows: actions.map(toRow), more };
}

/** The unparsed response, for time measurements. */
export async function fetchText(url: string, request: Record<string, unknown>): Promise<string> {
  const response = await fetch(`${url}/v1/history/get_actions`, { method: 'POST', body: JSON.stringify(request) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${JSON.stringify(request)}: ${text}`);
  return text;
}

/** Every action of an account, or of the chain, newest first. */
export async function fetchWholeList(url: string, account: string | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for (let more = true; more;) {
    const page = await fetchPage(url, { account_name: account, pos: rows.length, offset: ROWS_AT_ONCE });
    rows.push(...page.rows);
    more = page.more;
  }
  return rows;
}

function toRow(json: RowJson): Row {
  const { account, name, authorization } = json.action_trace.act;
  return {
    account,
    name,
    actors: authorization.map(({ actor }) => actor),
    root: json.action_trace.creator_action_ordinal === 0,
    blockNum: json.block_num,
    timeMs: Date.parse(`${json.block_time}Z`),
    digest: createHash('sha1').update(JSON.stringify(json)).digest('base64'),
  };
}

/** The most frequent values of the rows, most frequent first. */
export function mostFrequent(rows: readonly Row[], of: (row: Row) => string[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of new Set(of(row))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((left, right) => right[1] - left[1]).map(([value]) => value);
}
