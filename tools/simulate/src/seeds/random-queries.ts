import {
  type ActionsRequest,
  blockTime,
  type GeneratedBlock,
  GENERATED_KEYS,
  legacyKey,
  type PositionsRequest,
  type Query,
  sequencesOf,
  USERS,
} from '@antelope-history/chain-generator';
import type { Random } from '@antelope-history/test-support/random';

const ACCOUNTS = [...USERS, 'eosio', 'eosio.token', 'game', 'arena', 'raw', 'eosio.null', 'nobody'];
const FILTERS = ['eosio.token:transfer', 'eosio:*', '*:play', 'game:play,arena:log', 'eosio:setabi', 'nobody:nothing'];

/** Milliseconds around the time of a block: slots are half a second apart. */
const AROUND_A_SLOT = [0, 0, 0, 1, -1, 250, -250, 499, 500, -500];
const PREFIX_LENGTHS = [8, 9, 15, 32, 33, 63];

/** Draws requests about blocks that some node has had, those of losing branches included, in every form of their fields. */
export class RandomQueries {
  constructor(
    private readonly random: Random,
    private readonly blocks: () => readonly GeneratedBlock[],
  ) {}

  draw(): Query {
    switch (this.random(9)) {
      case 0:
        return { path: '/v1/history/get_key_accounts', body: { public_key: this.key() } };
      case 1:
        return { path: '/v1/history/get_controlled_accounts', body: { controlling_account: this.pick(ACCOUNTS) } };
      case 2:
        return { path: '/v1/history/get_transaction', body: this.transaction() };
      case 3:
        return { path: '/v1/chain/get_block', body: { block_num_or_id: this.numOrId() } };
      case 4:
        return { path: '/v1/trace_api/get_block', body: { block_num: this.spelled(-1) } };
      case 5:
        return { path: '/v1/trace_api/get_block', body: this.traceSelector() };
      case 6:
        return { path: '/v1/history/nodeos/get_actions', body: this.positions() };
      default:
        return { path: '/v1/history/get_actions', body: this.actions() };
    }
  }

  private actions(): ActionsRequest {
    const { random } = this;
    const body: ActionsRequest = {};
    if (random(4) > 0) body.account_name = this.pick(ACCOUNTS);
    if (random(3) === 0) body.filter = this.pick(FILTERS);
    if (random(3) === 0) body.pos = this.spelled(random(5) === 0 ? -1 : random(60));
    if (random(2) === 0) body.offset = this.spelled((random(4) === 0 ? -1 : 1) * (1 + random(100)));
    if (random(4) === 0) body.after = this.bound();
    if (random(6) === 0) body.before = this.bound();
    if (random(8) === 0) body.parent = this.spelled(random(2) && this.sequence());
    if (random(10) === 0) {
      delete body.filter;
      body[random(2) ? 'transfer.from' : 'transfer.to'] = this.pick(USERS);
      body.filter = 'eosio.token:transfer';
    }
    if (random(3) === 0) this.ascend(body);
    return body;
  }

  /** Ascending requests need a bound, and a date in `after` only up to ninety days back. */
  private ascend(body: ActionsRequest): void {
    body.sort = this.pick(['asc', '1', 1] as const);
    delete body.after;
    if (body.before === undefined || this.random(2)) body.after = this.spelled(this.block().num);
  }

  private positions(): PositionsRequest {
    const { random } = this;
    const body: PositionsRequest = {};
    if (random(10) > 0) body.account_name = this.pick(ACCOUNTS);
    if (random(3) > 0) body.pos = this.spelled(random(60) - 3);
    if (random(3) > 0) body.offset = this.spelled(random(60) - 30);
    if (random(4) === 0) body.filter = this.pick(FILTERS);
    if (random(6) === 0) body.after = this.bound();
    if (random(6) === 0) body.before = this.bound();
    if (random(8) === 0) body.parent = this.spelled(random(2) && this.sequence());
    if (random(4) === 0) body.sort = this.pick(['asc', 'desc', '1', '-1', 1, -1] as const);
    return body;
  }

  private bound(): number | string {
    const block = this.block();
    if (this.random(2)) return this.spelled(block.num);
    const shifted = Date.parse(`${blockTime(block)}Z`) + this.pick(AROUND_A_SLOT);
    const zoned = new Date(shifted).toISOString();
    return this.random(2) ? zoned : zoned.slice(0, -1);
  }

  private sequence(): number {
    const sequences = sequencesOf(this.block());
    return sequences.length === 0 ? 0 : this.pick(sequences);
  }

  private key(): string {
    const key = this.pick(GENERATED_KEYS);
    return key.startsWith('PUB_K1_') && this.random(2) ? legacyKey(key) : key;
  }

  /** A hint is right, wrong or beyond the chain, and never changes the response. */
  private transaction(): { id: string; block_num_hint?: number | string } {
    const block = this.block();
    const id = block.transactions.length === 0 ? '0'.repeat(64) : this.pick(block.transactions).id;
    const { random } = this;
    const text = this.inAnyCase(random(4) === 0 ? id.slice(0, this.pick(PREFIX_LENGTHS)) : id);
    if (random(2)) return { id: text };
    return { id: text, block_num_hint: this.spelled(this.pick([block.num, this.block().num, 0, 0xffffffff])) };
  }

  private numOrId(): number | string {
    const block = this.block();
    return this.random(2) ? this.spelled(block.num) : this.inAnyCase(block.id);
  }

  private traceSelector(): { block_num?: number | string; block_id?: string } {
    const block = this.block();
    switch (this.random(3)) {
      case 0:
        return { block_num: this.spelled(block.num) };
      case 1:
        return { block_id: this.inAnyCase(block.id) };
      default:
        return { block_num: this.spelled(this.block().num), block_id: block.id };
    }
  }

  private spelled(value: number): number | string {
    return this.random(4) === 0 ? String(value) : value;
  }

  private inAnyCase(hex: string): string {
    return this.random(4) === 0 ? hex.toUpperCase() : hex;
  }

  /** A newer block more often than an older one. */
  private block(): GeneratedBlock {
    const blocks = this.blocks();
    const back = Math.min(this.random(blocks.length), this.random(blocks.length));
    return blocks[blocks.length - 1 - back] as GeneratedBlock;
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)] as T;
  }
}

/** Requests about every block, transaction, account and key of a chain, those on losing branches included. */
export function* everyQuery(blocks: readonly GeneratedBlock[]): Generator<Query> {
  for (const [index, { num, id, transactions }] of blocks.entries()) {
    const [byNum, byId] = index % 2 ? [num, id] : [id, num];
    yield { path: '/v1/chain/get_block', body: { block_num_or_id: byNum } };
    yield {
      path: '/v1/trace_api/get_block',
      body: typeof byId === 'string' ? { block_id: byId } : { block_num: byId },
    };
    for (const transaction of transactions.slice(index % 3 ? 1 : 0)) {
      yield { path: '/v1/history/get_transaction', body: { id: transaction.id } };
    }
  }
  yield { path: '/v1/trace_api/get_block', body: { block_num: -1 } };
  for (const key of GENERATED_KEYS) yield { path: '/v1/history/get_key_accounts', body: { public_key: key } };
  for (const account of ACCOUNTS) {
    yield { path: '/v1/history/get_controlled_accounts', body: { controlling_account: account } };
    yield { path: '/v1/history/get_actions', body: { account_name: account, offset: 1000 } };
    yield { path: '/v1/history/nodeos/get_actions', body: { account_name: account, pos: 0, offset: 900 } };
    yield { path: '/v1/history/nodeos/get_actions', body: { account_name: account, pos: -1, offset: -30 } };
    for (const filter of FILTERS) {
      yield { path: '/v1/history/get_actions', body: { account_name: account, filter, pos: 3, offset: 50 } };
      yield { path: '/v1/history/get_actions', body: { account_name: account, filter, pos: 30, offset: -20 } };
    }
  }
  for (let pos = 0; pos < 5000; pos += 1000) yield { path: '/v1/history/get_actions', body: { pos, offset: 1000 } };
}
