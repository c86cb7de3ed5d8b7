import type { ActionEntry, ActionRecord } from '@antelope-history/records';

/** What an action is searched by beside its sequence. The server does not return it; the record has all of it. */
export function entryOf({
  account,
  name,
  authorization,
  traces,
}: ActionRecord): Omit<ActionEntry, 'sequence' | 'bytes'> {
  const receivers = traces.map(({ receiver }) => receiver);
  const accounts = new Set([...receivers, ...authorization.map(({ actor }) => actor)]);
  return { account, name, root: traces[0]?.creatorOrdinal === 0, accounts: [...accounts] };
}
