import { setTimeout as sleep } from 'node:timers/promises';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import type { ProgressView } from '@antelope-history/quick-start/progress';
import { ROUTES } from '@antelope-history/routes';
import { type ErrorResponse, HistoryError } from '@antelope-history/schemas';
import { fetchInTime } from '../fetch-in-time';

export type ActionRow = GetActionsResponse['actions'][number];

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

export interface ActionPage {
  rows: ActionRow[];
  /** The position after the page, counted in the rows of the service. */
  nextPosition: number;
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

const PAGE_ROWS = 1_000;
const LIMIT_MS = 60_000;
/** A service that is away for longer ends the export, which can be continued. */
const MOST_TRIES = 12;
const LONGEST_WAIT_MS = 60_000;

/**
 * Reads the actions of an account page by page, oldest first. A request that fails because the service is away or busy is
 * repeated; one that the service refuses rejects with `INVALID_REQUEST` and the service's own words.
 */
export class ActionPages {
  constructor(private readonly options: ActionPagesOptions) {}

  /** The blocks between the bounds, each a block number or a date, up to the last irreversible one. */
  async findRange({ from, to }: { from?: string | undefined; to?: string | undefined }): Promise<ExportedRange> {
    const { last_irreversible_block: irreversible } = await this.request({ offset: 1 });
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
    const { actions } = await this.request({ sort: 'desc', before: from, offset: 1 });
    const [first] = (await this.request({ sort: 'desc', after: from, offset: 1 })).actions;
    if (!first) return { ...range, firstBlock: irreversible + 1 };
    return { ...range, firstBlock: actions[0]?.block_num ?? 1, notBefore: toBlockTime(from) };
  }

  /** The pages from a position on. */
  async *read(range: ExportedRange, position: number): AsyncGenerator<ActionPage> {
    const { firstBlock, lastBlock, notBefore, before } = range;
    if (firstBlock > lastBlock) return;
    for (let pos = position, more = true; more;) {
      const bounds = { after: firstBlock, before: before ?? lastBlock };
      const page = await this.request({ sort: 'asc', ...bounds, pos, offset: PAGE_ROWS });
      const rows = page.actions.filter(({ block_num: num }) => num <= lastBlock);
      pos += page.actions.length;
      // A page of the service ends early when its rows are large, but has at least one.
      more = page.more && rows.length === page.actions.length;
      const shown = notBefore === undefined ? rows : rows.filter(({ block_time: time }) => time >= notBefore);
      yield { rows: shown, nextPosition: pos };
    }
  }

  private async request(fields: object): Promise<GetActionsResponse> {
    const { account, filter, signal, progress } = this.options;
    const body = JSON.stringify({ account_name: account, filter, ...fields });
    for (let tries = 1; ; tries++) {
      const outcome = await this.attempt(body);
      if (!(outcome instanceof Failure)) return outcome;
      if (tries === MOST_TRIES) throw new HistoryError('UNAVAILABLE', `the export ends: ${outcome.reason}`);
      const waitMs = outcome.waitMs ?? Math.min(LONGEST_WAIT_MS, 250 * 2 ** tries);
      if (tries > 2) progress.print(`${outcome.reason}: next try in ${Math.ceil(waitMs / 1000)} s`, 'warning');
      await sleep(waitMs, undefined, { signal });
    }
  }

  /** One request; a `Failure` when another one may succeed. */
  private async attempt(body: string): Promise<GetActionsResponse | Failure> {
    const { url, apiKey, signal } = this.options;
    const headers = new Headers(apiKey === undefined ? [] : [['x-api-key', apiKey]]);
    const target = `${url.replace(/\/+$/, '')}${ROUTES.getActions.path}`;
    try {
      return await fetchInTime(target, { method: 'POST', body, headers }, { limitMs: LIMIT_MS, signal }, readPage);
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

async function readPage(response: Response): Promise<GetActionsResponse | Failure> {
  const content: unknown = await response.json();
  return response.ok ? (content as GetActionsResponse) : refusalOf(response, content as Partial<ErrorResponse>);
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
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(date);
  const text = date.includes('T') && !hasZone ? `${date}Z` : date;
  return new Date(text).toISOString().slice(0, -1);
}
