import { type GeneratedBlock, type Query, sequencesOf, USERS } from '@antelope-history/chain-generator';
import { pick, type Random } from '@antelope-history/test-support/random';

/** Blocks on either side of the edge that requests are about. */
const AROUND = 3;
const ACCOUNTS = [...USERS, 'eosio', 'eosio.token', 'game'];
const MANY_ROWS = 900;

/** Draws requests about the first blocks of a history from which older ones are removed. */
export class EdgeQueries {
  constructor(
    private readonly random: Random,
    private readonly blocks: () => readonly GeneratedBlock[],
    private readonly first: () => number,
  ) {}

  draw(): Query {
    const block = this.block();
    const { num, id, transactions } = block;
    switch (this.random(8)) {
      case 0:
        return { path: '/v1/chain/get_block', body: { block_num_or_id: this.random(2) ? num : id } };
      case 1:
        return { path: '/v1/trace_api/get_block', body: this.random(2) ? { block_num: num } : { block_id: id } };
      case 2:
      case 3:
        if (transactions.length === 0) break;
        return { path: '/v1/history/get_transaction', body: { id: pick(this.random, transactions).id } };
      case 4:
        return { path: '/v1/history/nodeos/get_actions', body: { ...this.account(), pos: 0, offset: MANY_ROWS } };
      case 5:
        return { path: '/v1/history/get_actions', body: { ...this.account(), before: num, offset: 5 } };
      case 6:
        return { path: '/v1/history/get_actions', body: this.ascending(block) };
    }
    return { path: '/v1/chain/get_info', body: {} };
  }

  private ascending(block: GeneratedBlock): Extract<Query, { path: '/v1/history/get_actions' }>['body'] {
    const sequences = sequencesOf(block);
    if (this.random(3) === 0 && sequences.length > 0) return { parent: pick(this.random, sequences) };
    const after = Math.max(1, block.num - this.random(AROUND));
    return { ...this.account(), sort: 'asc', after, pos: this.random(3), offset: 5 };
  }

  private account(): { account_name: string } {
    return { account_name: pick(this.random, ACCOUNTS) };
  }

  /** One at the edge; as long as nodes have none, the newest one. */
  private block(): GeneratedBlock {
    const first = this.first();
    const blocks = this.blocks();
    const near = blocks.filter(({ num }) => Math.abs(num - first) <= AROUND);
    return near.length > 0 ? pick(this.random, near) : (blocks.at(-1) as GeneratedBlock);
  }
}
