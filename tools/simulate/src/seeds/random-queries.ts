import {
  type ActionsRequest,
  blockTime,
  type GeneratedBlock,
  GENERATED_KEYS,
  legacyKey,
  type Query,
  sequencesOf,
  USERS,
} from '@antelope-history/chain-generator';
import type { Random } from '@antelope-history/test-support/random';

const ACCOUNTS = [...USERS, 'eosio', 'eosio.token', 'game', 'arena', 'raw', 'eosio.null', 'nobody'];
const FILTERS = ['eosio.token:transfer', 'eosio:*', '*:play', 'game:play,arena:log', 'eosio:setabi', 'nobody:nothing'];

/** Draws requests about blocks that some node has had, those of losing branches included. */
export class RandomQueries {
  constructor(
    private readonly random: Random,
    private readonly blocks: () => readonly GeneratedBlock[],
  ) {}

  draw(): Query {
    switch (this.random(8)) {
      case 0:
        return { path: '/v1/history/get_key_accounts', body: { public_key: this.key() } };
      case 1:
        return { path: '/v1/history/get_controlled_accounts', body: { controlling_account: this.pick(ACCOUNTS) } };
      case 2:
        return { path: '/v1/history/get_transaction', body: { id: this.transactionId() } };
      case 3:
        return { path: '/v1/chain/get_block', body: { block_num_or_id: this.numOrId() } };
      case 4:
        return { path: '/v1/trace_api/get_block', body: { block_num: -1 } };
      case 5:
        return { path: '/v1/trace_api/get_block', body: this.traceSelector() };
      default:
        return { path: '/v1/history/get_actions', body: this.actions() };
    }
  }

  private actions(): ActionsRequest {
    const { random } = this;
    const body: ActionsRequest = {};
    if (random(4) > 0) body.account_name = this.pick(ACCOUNTS);
    if (random(3) === 0) body.filter = this.pick(FILTERS);
    if (random(3) === 0) body.pos = random(60);
    if (random(2) === 0) body.offset = 1 + random(100);
    if (random(4) === 0) body.after = this.bound();
    if (random(6) === 0) body.before = this.bound();
    if (random(8) === 0) body.parent = random(2) && this.sequence();
    if (random(10) === 0) {
      delete body.filter;
      body[random(2) ? 'transfer.from' : 'transfer.to'] = this.pick(USERS);
      body.filter = 'eosio.token:transfer';
    }
    if (random(3) === 0) {
      body.sort = 'asc';
      // Ascending requests need a bound, and a date only up to ninety days back.
      body.after = this.block().num;
    }
    return body;
  }

  private bound(): number | string {
    const block = this.block();
    return this.random(2) ? block.num : blockTime(block);
  }

  private sequence(): number {
    const sequences = sequencesOf(this.block());
    return sequences.length === 0 ? 0 : this.pick(sequences);
  }

  private key(): string {
    const key = this.pick(GENERATED_KEYS);
    return key.startsWith('PUB_K1_') && this.random(2) ? legacyKey(key) : key;
  }

  private transactionId(): string {
    const { transactions } = this.block();
    return transactions.length === 0 ? '0'.repeat(64) : this.pick(transactions).id;
  }

  private numOrId(): number | string {
    const block = this.block();
    return this.random(2) ? block.num : block.id;
  }

  private traceSelector(): { block_num?: number; block_id?: string } {
    const block = this.block();
    return this.random(2) ? { block_num: block.num } : { block_id: block.id };
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
    for (const filter of FILTERS) {
      yield { path: '/v1/history/get_actions', body: { account_name: account, filter, pos: 3, offset: 50 } };
    }
  }
  for (let pos = 0; pos < 5000; pos += 1000) yield { path: '/v1/history/get_actions', body: { pos, offset: 1000 } };
}
