import type { GeneratedBlock, GeneratedTransaction } from '../generated-block';
import { branchOf, type GeneratedChain } from '../generated-chain';
import { printedKey } from '../keys';
import { actionsPage, hasDataFilter, type ActionsRequest } from './actions-model';
import { blockTime, chainBlockJson, traceBlockJson, transactionJson } from './node-json';
import { positionsPage, type PositionsRequest } from './positions-model';

/** A request to one of the endpoints. Ids may be in either case, and a number may be written as text. */
export type Query =
  | { path: '/v1/history/get_actions'; body: ActionsRequest }
  | { path: '/v1/history/nodeos/get_actions'; body: PositionsRequest }
  | { path: '/v1/history/get_controlled_accounts'; body: { controlling_account: string } }
  | { path: '/v1/history/get_key_accounts'; body: { public_key: string } }
  | { path: '/v1/history/get_transaction'; body: { id: string; block_num_hint?: number | string } }
  | { path: '/v1/chain/get_block'; body: { block_num_or_id: number | string } }
  | { path: '/v1/chain/get_info'; body: object }
  | { path: '/v1/trace_api/get_block'; body: TraceSelector };

interface TraceSelector {
  block_num?: number | string;
  /** Decides where both are given. */
  block_id?: string;
}

/**
 * The right response in a state. The body lacks the fields that depend on what the node last reported: `head_block_num`,
 * `last_irreversible_block`, and the `status` of a traced block; in `get_info`, those of the last irreversible block. The body of an
 * error is that of its `error` only.
 */
export type Expected =
  | { status: 200; body: object; tracedNum?: number }
  | { status: 400 | 404 | 501; error: { code: number; name: string } };

/** A state that the service may show: the branch that ends with a block; undefined = nothing is indexed yet. */
export type CommittedState = GeneratedBlock | undefined;

const SEVERAL = { status: 400, error: { code: 3010009, name: 'transaction_id_type_exception' } } as const;
const NO_TRANSACTION = { status: 404, error: { code: 3040011, name: 'tx_not_found' } } as const;
const NO_BLOCK = { status: 400, error: { code: 3100002, name: 'unknown_block_exception' } } as const;
const NO_TRACE = { status: 404, error: { code: 0, name: 'block_trace_missing' } } as const;

/** An empty store does not know yet which fields it indexes. */
const NO_DATA_FIELD = { status: 400, error: { code: 3200006, name: 'invalid_http_request' } } as const;

const NO_POSITIONS = { status: 501, error: { code: 0, name: 'positions_not_stored' } } as const;

const ID_LENGTH = 64;

interface PlacedTransaction {
  transaction: GeneratedTransaction;
  block: GeneratedBlock;
}

/** The right responses of all endpoints in each state of a generated chain. It knows what was generated, and decodes nothing. */
export class ChainModel {
  private readonly branches = new WeakMap<GeneratedBlock, readonly GeneratedBlock[]>();
  private readonly transactions = new Map<string, PlacedTransaction>();

  /** `losesPositions`: the service no longer knows the positions of traces when it has removed blocks. */
  constructor(
    private readonly chain: GeneratedChain,
    private readonly losesPositions = false,
  ) {
    for (const block of chain.blocks) {
      if (chain.isSnapshot && block === chain.first) continue;
      for (const transaction of block.transactions) this.transactions.set(transaction.id, { transaction, block });
    }
  }

  /** `firstKept`: the number of the first block that the service has not removed. */
  respond({ path, body }: Query, state: CommittedState, firstKept = 0): Expected {
    switch (path) {
      case '/v1/history/get_actions':
        if (!state && hasDataFilter(body)) return NO_DATA_FIELD;
        return { status: 200, body: actionsPage(this.kept(state, firstKept), body) };
      case '/v1/history/nodeos/get_actions':
        if (body.account_name && this.losesPositions && this.hasRemoved(state, firstKept)) return NO_POSITIONS;
        return { status: 200, body: positionsPage(this.history(state), body, firstKept) };
      case '/v1/history/get_controlled_accounts': {
        const accounts = ownersWhere(state, ({ auth }) =>
          auth.accounts.some(({ permission }) => permission.actor === body.controlling_account),
        );
        return { status: 200, body: { controlled_accounts: accounts } };
      }
      case '/v1/history/get_key_accounts': {
        const accounts = ownersWhere(state, ({ auth }) =>
          auth.keys.some(({ key }) => key === body.public_key || printedKey(key) === body.public_key),
        );
        return { status: 200, body: { account_names: accounts } };
      }
      case '/v1/history/get_transaction':
        return this.transaction(body.id.toLowerCase(), state, firstKept);
      case '/v1/chain/get_block': {
        const wanted = String(body.block_num_or_id).toLowerCase();
        const block = this.kept(state, firstKept).find(({ num, id }) => String(num) === wanted || id === wanted);
        return block ? { status: 200, body: chainBlockJson(block) } : NO_BLOCK;
      }
      case '/v1/chain/get_info':
        return this.info(state, firstKept);
      case '/v1/trace_api/get_block':
        return this.traces(body, state, firstKept);
    }
  }

  /**
   * The rows that a stream sends of the blocks of `state` after those of an earlier state on its branch, oldest first. `after` of
   * the request is inclusive, as in `get_actions`.
   */
  rowsAfter(earlier: CommittedState, state: GeneratedBlock, request: ActionsRequest, firstKept = 0): object[] {
    const blocks = this.kept(state, firstKept).filter(({ num }) => num > (earlier?.num ?? -1));
    return actionsPage(blocks, { ...request, sort: 'asc', offset: Infinity }).actions;
  }

  /** Whether a state is another one or comes after it on the same branch. */
  isOnBranch(block: GeneratedBlock, state: CommittedState): boolean {
    if (!state || block.num > state.num) return false;
    return this.branch(state)[block.num - this.chain.first.num] === block;
  }

  /** The blocks whose contents the service has; a snapshot's own block has none. */
  private history(state: CommittedState): readonly GeneratedBlock[] {
    if (!state) return [];
    return this.chain.isSnapshot ? this.branch(state).slice(1) : this.branch(state);
  }

  /** Those of them that the service has not removed. */
  private kept(state: CommittedState, firstKept: number): readonly GeneratedBlock[] {
    const blocks = this.history(state);
    return this.hasRemoved(state, firstKept) ? blocks.filter(({ num }) => num >= firstKept) : blocks;
  }

  private hasRemoved(state: CommittedState, firstKept: number): boolean {
    return (this.history(state)[0]?.num ?? Infinity) < firstKept;
  }

  private branch(tip: GeneratedBlock): readonly GeneratedBlock[] {
    let branch = this.branches.get(tip);
    if (!branch) this.branches.set(tip, (branch = branchOf(tip, this.chain.first)));
    return branch;
  }

  /** By an id in lower case, or by the beginning of one. No id is executed twice on a branch. */
  private transaction(id: string, state: CommittedState, firstKept: number): Expected {
    const candidates = id.length === ID_LENGTH ? this.byId(id) : this.byPrefix(id);
    const [found, another] = candidates.filter(
      ({ transaction, block }) =>
        transaction.status === 'executed' && block.num >= firstKept && this.isOnBranch(block, state),
    );
    if (another) return SEVERAL;
    return found ? { status: 200, body: transactionJson(found.transaction, found.block) } : NO_TRANSACTION;
  }

  private byId(id: string): PlacedTransaction[] {
    const found = this.transactions.get(id);
    return found ? [found] : [];
  }

  private byPrefix(prefix: string): PlacedTransaction[] {
    return [...this.transactions.values()].filter(({ transaction }) => transaction.id.startsWith(prefix));
  }

  /** A store that has no block yet has no information either; then the service says that it is unavailable. */
  private info(state: CommittedState, firstKept: number): Expected {
    if (!state) return NO_BLOCK;
    const { num, id, producer } = state;
    const body = {
      chain_id: this.chain.chainId,
      head_block_num: num,
      head_block_id: id,
      head_block_time: blockTime(state),
      head_block_producer: producer,
      fork_db_head_block_num: num,
      fork_db_head_block_id: id,
      earliest_available_block_num: this.kept(state, firstKept)[0]?.num ?? num,
    };
    return { status: 200, body };
  }

  private traces({ block_num, block_id }: TraceSelector, state: CommittedState, firstKept: number): Expected {
    const isLatest = block_id === undefined && Number(block_num) === -1;
    const isWanted = ({ num, id }: GeneratedBlock): boolean =>
      block_id === undefined ? num === Number(block_num) : id === block_id.toLowerCase();
    const blocks = this.kept(state, firstKept);
    const block = isLatest ? blocks.at(-1) : blocks.find(isWanted);
    // The first block of a chain has no traces; later ones have that of `onblock`.
    if (!block || block.transactions.length === 0) return NO_TRACE;
    return { status: 200, body: traceBlockJson(block), tracedNum: block.num };
  }
}

type Permissions = GeneratedBlock['state']['permissions'];
type PermissionRow = Permissions extends Map<string, infer Row> ? Row : never;

function ownersWhere(state: CommittedState, holds: (permission: PermissionRow) => boolean): string[] {
  const owners = new Set<string>();
  for (const permission of state?.state.permissions.values() ?? []) if (holds(permission)) owners.add(permission.owner);
  return [...owners].sort();
}
