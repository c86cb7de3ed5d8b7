import type { Random } from '@antelope-history/test-support/random';
import type { TransactionMaker, TransactionSpec } from './block-builder';
import type { Authority, ChainState } from './chain-state';
import { garbageAbi, gameAbi, tokenAbi } from './contract-abi';
import { deleteAuth, log, newAccount, plain, play, setAbi, transfer, updateAuth } from './generated-actions';
import type { ActionSpec } from './generated-block';
import { k1Key, r1Key } from './keys';

export const USERS = ['alice', 'bob', 'carol', 'dave', 'erin'];
/** Contracts whose ABIs change. */
export const GAMES = ['game', 'arena'];
const KEYS = [...Array.from({ length: 8 }, (_, index) => k1Key(index)), r1Key(0)];
const CUSTOM_PERMISSIONS = ['daily', 'trade'];
const HUGE_BLOCK = 250;

/** The kinds of transactions, with how often each comes in blocks that have everything. */
const WEIGHTS = {
  transfer: 8,
  play: 5,
  tree: 3,
  plain: 2,
  contextFree: 1,
  delayed: 1,
  expired: 1,
  setabi: 2,
  upgrade: 1,
  updateauth: 2,
  deleteauth: 1,
  newaccount: 1,
  tokenAbi: 1,
} as const;
export type TransactionKind = keyof typeof WEIGHTS;

/** The kinds that change nothing but actions: stretches of blocks with these only hide what another index lacks. */
const QUIET: TransactionKind[] = ['transfer', 'play', 'tree', 'plain'];
/** Those that change an ABI or a permission. */
export const STATE_KINDS: TransactionKind[] = [
  'setabi',
  'upgrade',
  'updateauth',
  'deleteauth',
  'newaccount',
  'tokenAbi',
];

/** What a block has in it. */
export type BlockTexture = 'everything' | 'quiet' | 'empty' | 'huge' | 'state';

/** Draws the transactions of blocks. */
export class BlockContent {
  private accounts = 0;
  private version = 1;

  constructor(private readonly random: Random) {}

  transactions(texture: BlockTexture): TransactionMaker[] {
    switch (texture) {
      case 'empty':
        return [];
      case 'huge':
        return Array.from({ length: HUGE_BLOCK }, () => this.maker('transfer'));
      case 'state':
        return [this.maker(this.pick(STATE_KINDS))];
      case 'quiet':
        return Array.from({ length: this.random(3) }, () => this.maker(this.pick(QUIET)));
      case 'everything':
        return Array.from({ length: this.random(4) }, () => this.maker(this.weighted()));
    }
  }

  maker(kind: TransactionKind): TransactionMaker {
    return (state) => {
      const spec = this.make(kind, state);
      return this.random(5) === 0 ? { ...spec, compressed: true } : spec;
    };
  }

  private make(kind: TransactionKind, state: ChainState): TransactionSpec {
    const { random } = this;
    const user = this.pick(USERS);
    switch (kind) {
      case 'transfer':
        return { actions: [transfer(state, user, this.pick(USERS), random)] };
      case 'play':
        return { actions: [play(state, this.pick(GAMES), user, random)] };
      case 'tree':
        return { actions: [this.tree(state, 3), ...(random(2) ? [transfer(state, user, 'alice', random)] : [])] };
      case 'plain':
        return { actions: [plain('raw', user, random)] };
      case 'contextFree':
        return {
          actions: [transfer(state, user, 'bob', random)],
          contextFreeActions: [{ ...plain('eosio.null', user, random), name: 'nonce', authorization: [] }],
          contextFreeData: random(2) ? [Buffer.from('context-free'), Buffer.alloc(0)] : [],
        };
      case 'delayed':
        return { actions: [transfer(state, user, 'carol', random)], status: 'delayed' };
      case 'expired':
        return { actions: [], status: 'expired' };
      case 'setabi':
        return { actions: [this.abiChange(state, this.pick(GAMES))] };
      case 'upgrade':
        return { actions: this.upgrade(state, this.pick(GAMES), user) };
      case 'tokenAbi':
        return { actions: [setAbi(state, 'eosio.token', tokenAbi(++this.version))] };
      case 'updateauth': {
        const name = this.pick(['active', ...CUSTOM_PERMISSIONS]);
        return { actions: [updateAuth(state, user, name, this.authority())] };
      }
      case 'deleteauth': {
        const deletable = [...state.permissions.values()].filter(({ name }) => CUSTOM_PERMISSIONS.includes(name));
        const [gone] = deletable;
        if (!gone) return { actions: [updateAuth(state, user, this.pick(CUSTOM_PERMISSIONS), this.authority())] };
        return { actions: [deleteAuth(state, gone.owner, gone.name)] };
      }
      case 'newaccount':
        return { actions: [newAccount(state, user, `user${letters(this.accounts++)}`, this.authority())] };
    }
  }

  /** An action that sends others, which send others; also one that a notified contract sends. */
  private tree(state: ChainState, depth: number): ActionSpec {
    const { random } = this;
    const user = this.pick(USERS);
    if (depth === 0)
      return random(2) ? log(state, this.pick(GAMES), `entry ${random(100)}`) : transfer(state, user, 'dave', random);
    const inline = Array.from({ length: random(3) }, () => this.tree(state, depth - 1));
    const reaction =
      random(3) === 0 ? [{ receiver: 'arena', inline: [log(state, 'arena', `reaction ${random(100)}`)] }] : [];
    return play(state, 'game', user, random, { inline, notified: [{ receiver: user }, ...reaction] });
  }

  private abiChange(state: ChainState, account: string): ActionSpec {
    switch (this.random(8)) {
      case 0:
        return setAbi(state, account, garbageAbi(Buffer.from('no ABI at all')));
      case 1:
        return setAbi(state, account, garbageAbi(Buffer.alloc(0)));
      default:
        return setAbi(state, account, gameAbi(++this.version));
    }
  }

  /** A contract that is upgraded between two of its actions, in one transaction. */
  private upgrade(state: ChainState, account: string, user: string): ActionSpec[] {
    const before = play(state, account, user, this.random);
    const abi = gameAbi(++this.version);
    const upgraded = state.next();
    upgraded.setAbi(account, abi);
    return [before, setAbi(state, account, abi), play(upgraded, account, user, this.random)];
  }

  private authority(): Authority {
    const { random } = this;
    const keys = [...new Set(Array.from({ length: 1 + random(2) }, () => this.pick(KEYS)))];
    const actors = [...new Set(Array.from({ length: random(3) }, () => this.pick([...USERS, 'game'])))];
    return {
      threshold: 1,
      keys: keys.map((key) => ({ key, weight: 1 })),
      accounts: actors.map((actor) => ({
        permission: { actor, permission: actor === 'game' ? 'eosio.code' : 'active' },
        weight: 1,
      })),
      waits: random(4) === 0 ? [{ wait_sec: 600, weight: 1 }] : [],
    };
  }

  private weighted(): TransactionKind {
    const entries = Object.entries(WEIGHTS) as [TransactionKind, number][];
    let left = this.random(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [kind, weight] of entries) if ((left -= weight) < 0) return kind;
    return 'transfer';
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)] as T;
  }
}

/** The keys that the generated permissions have. */
export const GENERATED_KEYS = KEYS;

/** A number as letters, which account names consist of. */
function letters(value: number): string {
  return String(value)
    .split('')
    .map((digit) => 'abcdefghij'[Number(digit)])
    .join('');
}
