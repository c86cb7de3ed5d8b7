import type { Random } from '@antelope-history/test-support/random';
import { isOfAccount, sequence, type ActionsRequest, type NaiveAction } from './naive-actions';

/** Requests for an account's actions: every parameter alone, then random combinations. */
export function queriesOf(
  actions: readonly NaiveAction[],
  account: string | undefined,
  random: Random,
): ActionsRequest[] {
  const base: ActionsRequest = account === undefined ? {} : { account_name: account };
  const own = actions.filter((action) => isOfAccount(action, base));
  const alone = [...pagings(own.length), ...orders(actions), ...bounds(actions), ...filters(own), ...parents(own)];
  const mixed = Array.from({ length: MIXED_QUERIES }, () => mix(actions, own, random));
  return [...alone, ...mixed].map((query) => ({ ...base, ...query }));
}

const MIXED_QUERIES = 20;

function pagings(count: number): ActionsRequest[] {
  const positions = [0, Math.floor(count / 2), count - 1, count + 5].filter((pos) => pos >= 0);
  const offsets = [1, 7, 50, -1, -7, -50];
  return [
    {},
    { offset: 0 },
    { offset: '5' },
    { offset: 100_000 },
    { pos: -1 },
    { pos: -1, offset: 0 },
    { pos: '-1', offset: '-3' },
    { pos: '2', offset: 3 },
    ...offsets.map((offset) => ({ offset })),
    ...offsets.map((offset) => ({ pos: -1, offset })),
    ...positions.flatMap((pos) => offsets.map((offset) => ({ pos, offset }))),
  ];
}

/** Every ascending query has a bound, because the endpoint refuses it otherwise. */
function orders(actions: readonly NaiveAction[]): ActionsRequest[] {
  const [first, last] = [blockAt(actions, 0), blockAt(actions, 1)];
  return [
    { sort: 'desc' },
    { sort: -1 },
    { sort: '-1', offset: 3 },
    ...['asc', 1, '1'].map((sort) => ({ sort, after: first.block_num })),
    { sort: 'asc', after: first.block_time },
    { sort: 'asc', before: last.block_num, pos: 3, offset: 4 },
    { sort: 'asc', before: last.block_time, pos: -1, offset: 4 },
    { sort: 'asc', after: 1, offset: -4 },
    { sort: 'asc', after: 1, pos: 6, offset: -4 },
    { sort: 'asc', after: 1, offset: 100_000 },
  ];
}

/** The block of the action at a fraction (0 to 1) of the chain. */
function blockAt(actions: readonly NaiveAction[], fraction: number): { block_num: number; block_time: string } {
  const action = actions[Math.round(fraction * (actions.length - 1))];
  if (!action) throw new Error('the recording has no actions');
  return action.own;
}

function bounds(actions: readonly NaiveAction[]): ActionsRequest[] {
  const [early, middle, late] = [blockAt(actions, 0.2), blockAt(actions, 0.5), blockAt(actions, 0.8)];
  return [
    { after: early.block_num, before: late.block_num },
    { after: early.block_time, before: late.block_time, sort: 'asc' },
    { after: String(early.block_num), before: `${late.block_time}Z`, sort: 'asc', offset: 7 },
    { after: `${early.block_time}+00:00`, before: String(late.block_num), offset: 100 },
    { after: middle.block_num, before: middle.block_num, sort: 1, offset: 100 },
    { after: middle.block_time, before: middle.block_time, offset: 100 },
    { after: late.block_num, before: early.block_num },
    { after: late.block_time, before: early.block_time, sort: 'asc' },
    { after: 4294967295 },
    { before: '2001-01-01T00:00:00' },
    { before: middle.block_time, pos: 5, offset: -3 },
  ];
}

const MAX_FILTERED = 4;

/** Filters that match some of the account's actions, and filters that match none. */
function filters(own: readonly NaiveAction[]): ActionsRequest[] {
  const actionNames = [...new Set(own.map(({ own: { act } }) => `${act.account}:${act.name}`))];
  const shown = actionNames.filter((_, index) => index % Math.ceil(actionNames.length / MAX_FILTERED) === 0);
  return [
    ...shown.map((filter) => ({ filter })),
    ...shown.map((name) => ({ filter: `${name.split(':')[0]}:*`, offset: 100 })),
    ...shown.map((name) => ({ filter: `*:${name.split(':')[1]}`, sort: 'asc', after: 1, offset: 5 })),
    { filter: actionNames.slice(0, 20).join(',') || 'a:b', pos: 2, offset: 30 },
    { filter: 'no.such:thing,*:transfer', offset: 7 },
    { filter: 'no.such:*' },
  ];
}

const MAX_PARENTS = 4;

/** Queries for root actions, and for the actions that some traces of the account created. */
function parents(own: readonly NaiveAction[]): ActionsRequest[] {
  const sequences = own.flatMap(({ traces }) => traces.map(sequence));
  const creators = own.flatMap(({ creator }) => (creator === undefined ? [] : [creator]));
  const some = (all: number[]): number[] => all.filter((_, index) => index % Math.ceil(all.length / MAX_PARENTS) === 0);
  return [
    { parent: 0 },
    { parent: '0', sort: 'asc', after: 1, offset: 5 },
    ...some(sequences).map((parent) => ({ parent })),
    ...some(creators).map((parent) => ({ parent: String(parent), offset: 2 })),
    { parent: 4_000_000_000 },
  ];
}

/** A random combination of parameters. */
function mix(actions: readonly NaiveAction[], own: readonly NaiveAction[], random: Random): ActionsRequest {
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const maybe = <T extends object>(parameter: () => T): T | undefined => (random(2) === 0 ? parameter() : undefined);
  const any = own.length > 0 ? own : actions;
  const bound = (): { block_num: number; block_time: string } => pick(actions).own;
  const filterPart = (): string => {
    const { act } = pick(any).own;
    return pick([`${act.account}:${act.name}`, `${act.account}:*`, `*:${act.name}`]);
  };
  const query: ActionsRequest = {
    ...maybe(() => ({ pos: pick([-1, 0, 1, 2, random(any.length + 3)]) })),
    ...maybe(() => ({ offset: (random(3) === 0 ? -1 : 1) * (1 + random(30)) })),
    ...maybe(() => ({ filter: Array.from({ length: 1 + random(3) }, filterPart).join(',') })),
    ...maybe(() => ({ after: random(2) === 0 ? bound().block_num : bound().block_time })),
    ...maybe(() => ({ before: random(2) === 0 ? bound().block_num : bound().block_time })),
    ...(random(4) === 0 && { parent: pick([0, pick(any).creator ?? 0, sequence(pick(any).own)]) }),
  };
  const isBounded = query.after !== undefined || query.before !== undefined;
  return isBounded && random(2) === 0 ? { ...query, sort: pick(['asc', 1, '1']) } : query;
}
