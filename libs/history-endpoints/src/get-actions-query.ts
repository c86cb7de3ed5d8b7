import type { GetActionsRequest } from '@antelope-history/history-routes';
import type { ActionsQuery, TraceConditions } from '@antelope-history/store';
import { parseAccountName, parseName } from '@antelope-history/endpoint-kit';

const DEFAULT_PAGE = 20;

type SentConditions = Pick<GetActionsRequest, 'filter' | 'after' | 'before' | 'parent'>;
type Page = Pick<ActionsQuery, 'skip' | 'limit' | 'window'>;

/** The store query of a request, without conditions on data. Throws `INVALID_NAME` for names that cannot exist on the chain. */
export function toActionsQuery(request: GetActionsRequest, maxPage: number): ActionsQuery {
  const { account_name: account } = request;
  return {
    account: account === undefined ? undefined : parseAccountName('account_name', account),
    ...toConditions(request),
    data: [],
    order: request.sort,
    ...toPage(request.pos, request.offset, maxPage),
  };
}

/** The conditions of a request on contract, action, block and creator. Throws `INVALID_NAME`, as `toActionsQuery` does. */
export function toConditions({ filter = [], after, before, parent }: SentConditions): TraceConditions {
  return {
    filters: filter.map(({ account, name }) => ({
      ...(account !== undefined && { account: parseName('filter', account) }),
      ...(name !== undefined && { name: parseName('filter', name) }),
    })),
    after,
    before,
    parent: parent === undefined ? undefined : parent === 0 ? 'root' : { sequence: parent },
  };
}

/**
 * The rows of the chosen order that `pos` and `offset` select.
 *
 * | pos | offset | rows |
 * | --- | --- | --- |
 * | p ≥ 0 or absent (0) | n > 0, absent or 0 (20) | n from p on |
 * | p ≥ 0 | -n | p-n+1 to p |
 * | -1 | n or -n, absent or 0 (20) | the newest n |
 * | absent | -n | the newest n |
 */
export function toPage(pos: number | undefined, offset: number | undefined, maxPage: number): Page {
  const size = Math.min(Math.abs(offset || DEFAULT_PAGE), maxPage);
  const backwards = offset !== undefined && offset < 0;
  if (pos === -1 || (pos === undefined && backwards)) return { window: 'newest', skip: 0, limit: size };
  const from = pos ?? 0;
  if (!backwards) return { window: 'skip', skip: from, limit: size };
  const first = Math.max(0, from - size + 1);
  return { window: 'skip', skip: first, limit: from - first + 1 };
}
