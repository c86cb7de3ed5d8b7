import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@antelope-history/connectivity';
import type { ProgressView } from '@antelope-history/quick-start/progress';
import { ACTIONS_BY_ROWS_PATH, ROUTES } from '@antelope-history/routes';
import { bound, type ErrorResponse, HistoryError } from '@antelope-history/schemas';
import { fetchInTime } from '../fetch-in-time';
import { type ActionRow, type ExportedRow, readRows } from './exported-rows';

/** The blocks whose actions are exported. They are irreversible, so that the actions do not change meanwhile. */
export interface ExportedRange {
  firstBlock: number;
  lastBlock: number;
  irreversible: number;
  /** Rows before this time (as `block_time`, UTC) are left out: `--from` was a date in the first block's day. */
  notBefore?: string;
  /** As `--to` was given, when it was a date. */
  before?: string;
}

/** The row that an export has come to. Positions of rows change when the service removes its oldest blocks. */
export interface LastRow {
  blockNum: number;
  /** Its `global_action_seq`. */
  sequence: string;
}

export interface ActionPage {
  rows: ExportedRow[];
  /** Undefined before the first row. */
  last: LastRow | undefined;
}

export interface ActionPagesOptions {
  /** Address of the gateway. */
  url: string;
  apiKey: string | undefined;
  account: string;
  filter: string | undefined;
  progress: ProgressView;
  signal: AbortSignal;
}

/** What an export needs of `get_info`, whose blocks are all committed. */
interface ChainFacts {
  last_irreversible_block_num: number;
  earliest_available_block_num: number;
}

const PAGE_ROWS = 1_000;
const LIMIT_MS = 60_000;
/** A service that is unavailable for longer ends the export, which can be continued. */
const MAX_TRIES = 12;
const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/**
 * Reads the actions of an account page by page, oldest first. A request that fails because the service is unavailable or busy is
 * repeated; one that the service refuses rejects with `INVALID_REQUEST` and the service's own words.
 */
export class ActionPages {
  constructor(private readonly options: ActionPagesOptions) {}

  /** The blocks between the bounds, each a block number or a date, up to the last irreversible one. */
  async findRange({ from, to }: { from?: string | undefined; to?: string | undefined }): Promise<ExportedRange> {
    const { last_irreversible_block_num: irreversible } = await this.readInfo();
    const lastBlock = to !== undefined && isBlockNum(to) ? Math.min(Number(to), irreversible) : irreversible;
    const range = {
      firstBlock: 1,
      lastBlock,
      irreversible,
      ...(to !== undefined && !isBlockNum(to) && { before: to }),
    };
    if (from === undefined) return range;
    if (isBlockNum(from)) return { ...range, firstBlock: Number(from) };
    // The service takes old dates in descending order only: the newest action before it shows the block to begin at.
    const [before] = (await this.readPage({ sort: 'desc', before: from, offset: 1 })).rows;
    const [first] = (await this.readPage({ sort: 'desc', after: from, offset: 1 })).rows;
    if (!first) return { ...range, firstBlock: irreversible + 1 };
    return { ...range, firstBlock: before?.row.block_num ?? 1, notBefore: toBlockTime(from) };
  }

  /**
   * The pages after a row, or from the beginning. Rejects with `BLOCKS_REMOVED` when the service has removed the block of the last row,
   * because it may have removed later ones, too.
   */
  async *read(range: ExportedRange, after: LastRow | undefined): AsyncGenerator<ActionPage> {
    const { firstBlock, lastBlock, notBefore } = range;
    if (firstBlock > lastBlock) return;
    for (let last = after, more = true; more;) {
      const page = await this.readAfter(range, last);
      if (last) await this.requireBlock(last.blockNum);
      const rows = page.rows.filter(({ row }) => row.block_num <= lastBlock);
      more = page.more && rows.length === page.rows.length;
      last = lastOf(rows) ?? last;
      yield { rows: notBefore === undefined ? rows : rows.filter(({ row }) => row.block_time >= notBefore), last };
    }
  }

  /** The rows after the last one. The service is asked from its block on, whose rows come once more. */
  private async readAfter(
    { firstBlock, lastBlock, before = lastBlock }: Omit<ExportedRange, 'before'> & { before?: string | number },
    last: LastRow | undefined,
  ): Promise<{ rows: ExportedRow[]; more: boolean }> {
    for (let pos = 0; ;) {
      const after = last?.blockNum ?? firstBlock;
      // A page of the service ends early when its rows are large, but has at least one.
      const page = await this.readPage({ sort: 'asc', after, before, pos, offset: PAGE_ROWS });
      const rows = page.rows.filter(({ row }) => !last || isAfter(row, last));
      if (rows.length > 0 || !page.more) return { rows, more: page.more };
      pos += page.rows.length;
    }
  }

  private async requireBlock(blockNum: number): Promise<void> {
    const { earliest_available_block_num: earliest } = await this.readInfo();
    if (earliest <= blockNum) return;
    throw new HistoryError(
      'BLOCKS_REMOVED',
      `the service has removed the blocks below ${earliest}: actions after block ${blockNum} can be missing`,
    );
  }

  private readInfo(): Promise<ChainFacts> {
    return this.request(ROUTES.getInfo.path, {}, (text) => JSON.parse(text) as ChainFacts);
  }

  private readPage(fields: object): Promise<{ rows: ExportedRow[]; more: boolean }> {
    const { account, filter } = this.options;
    return this.request(ACTIONS_BY_ROWS_PATH, { account_name: account, filter, ...fields }, readRows);
  }

  private async request<T>(path: string, fields: object, read: (text: string) => T): Promise<T> {
    const { signal, progress } = this.options;
    const body = JSON.stringify(fields);
    const backoff = new Backoff(SHORTEST_WAIT_MS, LONGEST_WAIT_MS);
    for (let tries = 1; ; tries++) {
      const outcome = await this.attempt(path, body, read);
      if (!(outcome instanceof Failure)) return outcome;
      if (tries === MAX_TRIES) throw new HistoryError('UNAVAILABLE', `the export ends: ${outcome.reason}`);
      const backoffMs = backoff.next();
      const waitMs = outcome.waitMs ?? backoffMs;
      if (tries > 2) progress.print(`${outcome.reason}: next try in ${Math.ceil(waitMs / 1000)} s`, 'warning');
      await sleep(waitMs, undefined, { signal });
    }
  }

  /** One request; a `Failure` when another one may succeed. */
  private async attempt<T>(path: string, body: string, read: (text: string) => T): Promise<T | Failure> {
    const { url, apiKey, signal } = this.options;
    const headers = new Headers(apiKey === undefined ? [] : [['x-api-key', apiKey]]);
    const target = url.replace(/\/+$/, '') + path;
    const readResponse = async (response: Response): Promise<T | Failure> => {
      const text = await response.text();
      return response.ok ? read(text) : refusalOf(response, JSON.parse(text) as Partial<ErrorResponse>);
    };
    try {
      return await fetchInTime(target, { method: 'POST', body, headers }, { limitMs: LIMIT_MS, signal }, readResponse);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof HistoryError) throw error;
      return new Failure(`${url} does not respond`, undefined);
    }
  }
}

class Failure {
  constructor(
    readonly reason: string,
    /** How long the service asks to wait. */
    readonly waitMs: number | undefined,
  ) {}
}

/** A response that is no page: throws when the request was wrong. */
function refusalOf(response: Response, { error }: Partial<ErrorResponse>): Failure {
  const detail = error?.details[0]?.message ?? `status ${response.status}`;
  if (response.status < 500 && response.status !== 429) throw new HistoryError('INVALID_REQUEST', detail);
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new Failure(detail, seconds > 0 ? Math.min(LONGEST_WAIT_MS, seconds * 1000) : undefined);
}

function isBlockNum(bound: string): boolean {
  return /^\d+$/.test(bound);
}

/** A date as `block_time` has it, which compares as text; the service has already taken the date. */
function toBlockTime(date: string): string {
  const parsed = bound('after').parse(date);
  return 'timeMs' in parsed ? new Date(parsed.timeMs).toISOString().slice(0, -1) : '';
}

function lastOf(rows: readonly ExportedRow[]): LastRow | undefined {
  const row = rows.at(-1)?.row;
  return row && { blockNum: row.block_num, sequence: String(row.global_action_seq) };
}

function isAfter({ block_num: num, global_action_seq: sequence }: ActionRow, last: LastRow): boolean {
  return num > last.blockNum || BigInt(sequence) > BigInt(last.sequence);
}
