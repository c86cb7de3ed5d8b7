import { ByteReader, publicKeyToString } from '@antelope-history/abi';
import { ROUTES } from '@antelope-history/routes';
import type { Attack } from './attacks/attack';
import { CROWDED_KEY, LONG_KEY, OVERLONG_KEY, SHARED_KEY, SHARERS } from './attacks/state';
import { exchange, type Exchange } from './exchange';
import type { HostileService } from './hostile-service';
import { GIVE_UP_SECONDS, LIMITS } from './limits';
import { ResponseChecks, type ActionsPage } from './response-checks';
import type { WrittenAction, WrittenChain } from './written-chain';

/** The outcome of all requests of one form about one attack. */
export interface Outcome {
  attack: string;
  request: string;
  count: number;
  statuses: Map<number, number>;
  bytes: number;
  seconds: number;
  liveMs: number;
  residentBytes: number;
  /** Whether the service process ended. */
  ended: boolean;
  faults: string[];
}

/**
 * The number of requests. `all`: every list and transaction; `long`: each list in one order, in pages of both sizes, and ten
 * transactions per attack; `usual`: the same, but each list in small pages of one order and in large pages of the other one, and of
 * long lists only the first small page, and MAX_PAGES large pages and the last rows; `first`: the first page of each list and three
 * transactions.
 */
export type Extent = 'all' | 'long' | 'usual' | 'first';

const TRANSACTIONS: Record<Extent, number> = { all: Infinity, long: 10, usual: 10, first: 3 };
/** `long` reads lists up to this length in both orders and in pages of both sizes. */
const SHORT_LIST = 100;
/** The number of large pages that `usual` reads of a long list; they reach the limits of a response as all later ones do. */
const MAX_PAGES = 2;
/** The number of rows that `usual` reads at the end of a list that has more pages. */
const LAST_ROWS = 10;
const [SMALL_PAGE, LARGE_PAGE] = [20, 1000];
const ACTIONS = ROUTES.getActions.path;

type Judge = (body: string) => string | undefined;
type Send = (path: string, request: object, expected: number | number[], judge: Judge) => Promise<Exchange>;

export class AttackRun {
  private readonly checks: ResponseChecks;

  constructor(
    private readonly service: HostileService,
    private readonly written: WrittenChain,
    private readonly extent: Extent,
  ) {
    this.checks = new ResponseChecks(written);
  }

  /** Requests all data of an attack from every endpoint. A service that ended is started again for the next form. */
  async *run(attack: Attack): AsyncGenerator<Outcome> {
    for (const sort of ['desc', 'asc']) {
      for (const offset of [SMALL_PAGE, LARGE_PAGE]) {
        yield this.watch(attack, `get_actions ${sort} ${offset}`, async (send, fault) => {
          for (const account of attack.accounts) await this.walk(account, sort, offset, send, fault);
        });
      }
    }
    yield this.watch(attack, 'get_transaction', (send) => this.requestTransactions(attack, send));
    yield this.watch(attack, 'chain get_block', (send) => this.requestChainBlocks(attack, send));
    yield this.watch(attack, 'trace get_block', (send) => this.requestTraceBlocks(attack, send));
    yield this.watch(attack, 'get_abi and get_raw_abi', (send) => this.requestAbis(attack, send));
    yield this.watch(attack, 'keys and controlled', (send) => this.requestPermissions(attack, send));
  }

  private async watch(
    { name: attack }: Attack,
    request: string,
    sendAll: (send: Send, fault: (text: string) => void) => Promise<void>,
  ): Promise<Outcome> {
    if (this.service.hasEnded) await this.service.startAgain();
    this.service.resetPeak();
    const outcome: Outcome = {
      attack,
      request,
      count: 0,
      statuses: new Map(),
      bytes: 0,
      seconds: 0,
      liveMs: 0,
      residentBytes: 0,
      ended: false,
      faults: [],
    };
    const since = Date.now();
    const fault = (text: string): void => void outcome.faults.push(text);
    await sendAll(this.senderOf(outcome, fault), fault);
    outcome.liveMs = this.service.hasEnded
      ? Infinity
      : await this.service.live.worstSince(since, GIVE_UP_SECONDS * 1000);
    outcome.residentBytes = this.service.peakMemory;
    outcome.ended = this.service.hasEnded;
    return outcome;
  }

  private senderOf(outcome: Outcome, fault: (text: string) => void): Send {
    return async (path, request, expected, judge) => {
      const got = await exchange(this.service.url, path, request);
      outcome.count++;
      outcome.statuses.set(got.status, (outcome.statuses.get(got.status) ?? 0) + 1);
      outcome.bytes = Math.max(outcome.bytes, got.bytes);
      outcome.seconds = Math.max(outcome.seconds, got.seconds);
      const isExpected = [expected].flat().includes(got.status);
      const wrong = isExpected ? judgeBody(got.body, judge) : `status ${got.status}`;
      if (wrong !== undefined) fault(`${path} ${JSON.stringify(request).slice(0, 120)}: ${wrong}`);
      return got;
    };
  }

  /** Reads all pages: each has a row, and together they have each action once. */
  private async walk(
    account: string,
    sort: string,
    offset: number,
    send: Send,
    fault: (text: string) => void,
  ): Promise<void> {
    const expected = this.checks.rowsOf(account);
    const found: number[] = [];
    let pages = 0;
    let bytes = 0;
    let isCut = false;
    const isWhole = this.readsWhole(sort, offset, expected.length);
    for (;;) {
      const request = { account_name: account, sort, offset, pos: found.length, ...(sort === 'asc' && { after: 1 }) };
      const { actions: rows, more, bytes: size } = await this.readPage(request, send);
      bytes += size;
      found.push(...rows.map((row) => Number(row.global_action_seq)));
      pages++;
      if (!more || rows.length === 0 || !isWhole) break;
      isCut = this.isEnough(pages, expected.length - found.length, expected.length);
      if (isCut) break;
    }
    if (!isWhole) return;
    const enough = LIMITS.earlyPages + found.length / LIMITS.earlyPageRows + bytes / LIMITS.earlyPageBytes;
    if (pages > enough) fault(`${account} ${sort} ${offset}: ${pages} pages of ${found.length} rows`);
    const ours = found.filter((sequence) => sequence > this.written.sequencesBefore);
    const inOrder = sort === 'desc' ? expected.toReversed() : expected;
    if (isCut) ours.push(...(await this.readLast(account, sort, inOrder.length, send)));
    const wanted = isCut ? [...inOrder.slice(0, found.length), ...inOrder.slice(-LAST_ROWS)] : inOrder;
    const isSame = ours.length === wanted.length && ours.every((sequence, index) => sequence === wanted[index]);
    if (!isSame) fault(`${account} ${sort} ${offset}: ${ours.length} rows of ${wanted.length}, or others`);
  }

  /** Whether the rest of a list is left out. Long lists are read in descending order, in which the attack's rows come first. */
  private isEnough(pages: number, rest: number, rows: number): boolean {
    return this.extent === 'usual' && rows > SHORT_LIST && pages >= MAX_PAGES && rest > LAST_ROWS;
  }

  /** The sequences of the last of `count` rows, which may need several pages. */
  private async readLast(account: string, sort: string, count: number, send: Send): Promise<number[]> {
    const found: number[] = [];
    while (found.length < LAST_ROWS) {
      const pos = count - LAST_ROWS + found.length;
      const { actions: rows } = await this.readPage({ account_name: account, sort, offset: LAST_ROWS, pos }, send);
      if (rows.length === 0) break;
      found.push(...rows.map((row) => Number(row.global_action_seq)));
    }
    return found.slice(0, LAST_ROWS);
  }

  /** Whether all pages of a list are read, or only the first. */
  private readsWhole(sort: string, offset: number, rows: number): boolean {
    if (this.extent === 'all') return true;
    if (this.extent === 'first') return false;
    if (this.extent === 'long') return rows <= SHORT_LIST || sort === 'desc';
    return sort === 'desc' ? offset === LARGE_PAGE : rows <= SHORT_LIST && offset === SMALL_PAGE;
  }

  private async readPage(request: object, send: Send): Promise<ActionsPage & { bytes: number }> {
    let page: ActionsPage = { actions: [], more: false };
    const { bytes } = await send(ACTIONS, request, 200, (body) => {
      page = JSON.parse(body) as ActionsPage;
      if (page.more && page.actions.length === 0) return 'a page without a row';
      return this.checks.actions(page.actions, body);
    });
    return { ...page, bytes };
  }

  private async requestTransactions(attack: Attack, send: Send): Promise<void> {
    const all = this.written.transactions.filter((transaction) => transaction.attack === attack.name);
    for (const { id, executed } of all.slice(0, TRANSACTIONS[this.extent])) {
      const judge: Judge = (body) => (executed ? this.checks.transaction(id, body) : undefined);
      await send(ROUTES.getTransaction.path, { id }, executed ? 200 : 404, judge);
    }
  }

  private async requestChainBlocks(attack: Attack, send: Send): Promise<void> {
    for (const { num } of this.blocksOf(attack)) {
      const judge: Judge = (body) => this.checks.chainBlock(num, body);
      await sendTwice(send, ROUTES.getChainBlock.path, { block_num_or_id: num }, judge);
    }
  }

  private async requestTraceBlocks(attack: Attack, send: Send): Promise<void> {
    for (const { num } of this.blocksOf(attack)) {
      await sendTwice(send, ROUTES.getTraceBlock.path, { block_num: num }, (body) => this.checks.traceBlock(num, body));
    }
  }

  private async requestAbis(attack: Attack, send: Send): Promise<void> {
    const versions = this.written.actions.flatMap((action) => abiSetBy(action, attack.name) ?? []);
    // The last one of a block is in force after it.
    const ofBlocks = new Map(versions.map((version) => [`${version.blockNum} ${version.account}`, version]));
    for (const { account, blockNum, abi } of [...ofBlocks.values()].slice(0, TRANSACTIONS[this.extent])) {
      const request = { account_name: account, block_num: blockNum };
      const judgeRaw: Judge = (body) =>
        (JSON.parse(body) as { abi?: string }).abi === abi.toString('base64') ? undefined : 'another ABI';
      // The attackers' accounts have no permissions, so that one without an ABI is unknown.
      if (abi.length === 0) await send(ROUTES.getRawAbi.path, request, 400, (body) => void JSON.parse(body));
      else await send(ROUTES.getRawAbi.path, request, 200, judgeRaw);
      // The chain accepts any bytes; those that are no ABI, or too much of one, have no JSON.
      await send(ROUTES.getAbi.path, request, [200, 400], (body) => void JSON.parse(body));
    }
  }

  private blocksOf(attack: Attack): WrittenChain['blocks'] {
    return this.written.blocks.filter((block) => block.attack === attack.name);
  }

  private async requestPermissions(attack: Attack, send: Send): Promise<void> {
    if (attack.name !== 'permissions') return;
    const keys: [Buffer, number][] = [
      [SHARED_KEY, SHARERS],
      [CROWDED_KEY, 1],
      [LONG_KEY, 1],
    ];
    for (const [key, count] of keys) {
      const request = { public_key: publicKeyToString(key) };
      await send(ROUTES.getKeyAccounts.path, request, 200, (body) => counted(body, 'account_names', count));
    }
    const overlong = { public_key: publicKeyToString(OVERLONG_KEY) };
    await send(ROUTES.getKeyAccounts.path, overlong, 400, () => undefined);
    const request = { controlling_account: 'hcontrol' };
    const judge: Judge = (body) => counted(body, 'controlled_accounts', SHARERS);
    await send(ROUTES.getControlledAccounts.path, request, 200, judge);
  }
}

/** The ABI that an action of an attack sets: the account, a length and the bytes. */
function abiSetBy(
  { attack, account, name, blockNum, data }: WrittenAction,
  of: string,
): { account: string; blockNum: number; abi: Buffer } | undefined {
  if (attack !== of || account !== 'eosio' || name !== 'setabi') return undefined;
  const reader = new ByteReader(data);
  return { account: reader.name(), blockNum, abi: reader.lengthPrefixed() };
}

/** A repeated request may fill the response cache, which is more work the second time. */
async function sendTwice(send: Send, path: string, request: object, judge: Judge): Promise<void> {
  for (let time = 0; time < 2; time++) await send(path, request, 200, judge);
}

function judgeBody(body: string | undefined, judge: Judge): string | undefined {
  if (body === undefined) return 'the body exceeds the size limit of the test';
  try {
    return judge(body);
  } catch (error) {
    return `the check failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, 200);
  }
}

function counted(body: string, field: string, count: number): string | undefined {
  const names = (JSON.parse(body) as Record<string, string[]>)[field] ?? [];
  return names.length === count ? undefined : `${names.length} of ${count} ${field}`;
}
