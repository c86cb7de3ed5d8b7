import type { ActionTraceJson } from '@antelope-history/schemas';
import { buildTraceTree, isNotification, type TraceNode, withoutNotifications } from './trace-tree.js';

/** `1<0 token` is the trace 1 without a creator; `2<1 token>bob` notifies bob. */
function traceOf(text: string): ActionTraceJson {
  const [, ordinal, creator, account, receiver = account] = /^(\d+)<(\d+) (\w+)(?:>(\w+))?$/.exec(text) ?? [];
  return {
    action_ordinal: Number(ordinal),
    creator_action_ordinal: Number(creator),
    receiver,
    act: { account },
  } as ActionTraceJson;
}

type Shown = (string | Shown)[];

/** Each node as its ordinal and the accounts that it notifies, followed by its children. */
function show(nodes: TraceNode[]): Shown {
  return nodes.flatMap(({ trace, notified, children }): Shown => {
    const text = [trace.action_ordinal, ...notified].join(' ');
    return children.length > 0 ? [text, show(children)] : [text];
  });
}

const treeOf = (...texts: string[]): Shown => show(buildTraceTree(texts.map(traceOf)));

describe('buildTraceTree', () => {
  it('has inline actions below their creators and notifications at their action', () => {
    expect(treeOf('1<0 token', '2<1 token>alice', '3<1 token>bob', '4<1 log', '5<4 log>carol', '6<0 other')).toEqual([
      '1 alice bob',
      ['4 carol'],
      '6',
    ]);
  });

  it('has a notification with actions of its own as a node', () => {
    expect(treeOf('1<0 token', '2<1 token>dex', '3<2 dex')).toEqual(['1', ['2', ['3']]]);
  });

  it('does not depend on the order of execution', () => {
    expect(treeOf('2<1 token>alice', '1<0 token')).toEqual(['1 alice']);
  });

  it('has traces whose creator is unknown at the top, and each trace once', () => {
    expect(treeOf('5<9 token', '7<7 token', '8<5 token')).toEqual(['5', ['8'], '7']);
  });
});

it('an action that its contract does not execute is no notification: onerror of a sender', () => {
  expect(['1<0 token', '2<1 token>alice', '1<0 system>sender'].map((text) => isNotification(traceOf(text)))).toEqual([
    false,
    true,
    false,
  ]);
});

describe('withoutNotifications', () => {
  const shown = (texts: string[]) =>
    withoutNotifications(texts.map((text) => traceOf(text)).map(({ receiver, act }) => ({ receiver, ...act }))).map(
      ({ account, receiver }) => `${account}>${receiver}`,
    );

  it('has what contracts execute', () =>
    expect(shown(['1<0 token', '2<1 token>alice', '3<2 alice'])).toEqual(['token>token', 'alice>alice']));

  it('has the onerror of a failed deferred transaction', () =>
    expect(shown(['1<0 system>sender', '2<1 system>bob', '3<1 log'])).toEqual(['system>sender', 'log>log']));
});
