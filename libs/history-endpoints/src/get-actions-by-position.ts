import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import type { GetActionsByPositionRequest, HISTORY_ROUTES } from '@antelope-history/history-routes';
import { HistoryError } from '@antelope-history/schemas';
import type { AccountTracesPage, PositionRange } from '@antelope-history/store';
import { toConditions } from './get-actions-query';
import { abisOfActions, renderTraces } from './get-actions-response';
import { pagePositions, pluginWindow } from './plugin-window';

/** Reading a row that the page leaves out takes as long as so many steps of a search, 20 µs. */
const STEPS_PER_ROW_LEFT_OUT = 200;

export const createGetActionsByPosition: CreateEndpoint<typeof HISTORY_ROUTES.getActionsByPosition> = ({
  reader,
  abis,
  config,
}) => {
  const maxRows = config.limits.getActions;
  return async (request, work) => {
    const { account_name: name, sort: order } = request;
    // The plugin read an absent name as the empty one, which no account has.
    const account = name ? parseAccountName('account_name', name) : undefined;
    const window = pluginWindow(request.pos, request.offset);
    const conditions = hasConditions(request) ? toConditions(request) : undefined;
    const readPage = async (): Promise<AccountTracesPage> => {
      if (account === undefined) return { status: await reader.getStatus(), rows: [], more: false };
      let range: PositionRange & { isCut: boolean } = { first: 0, last: -1, isCut: false };
      const countLeftOut = (rows: number): Promise<void> => work.pauseSearch(rows * STEPS_PER_ROW_LEFT_OUT);
      const select = (count: number, firstKept: number): PositionRange => {
        const stored = { first: firstKept, last: count - 1 };
        range = pagePositions(window(count), stored, { order, maxRows, hasConditions: !!conditions });
        return range;
      };
      try {
        const page = await reader.getAccountTraces({ account, select, order, conditions }, (steps) =>
          work.pauseSearch(steps),
        );
        await countLeftOut(conditions || order === 'desc' ? lengthOf(range) - page.rows.length : 0);
        return { ...page, more: page.more || range.isCut };
      } catch (error) {
        if (error instanceof HistoryError && error.code === 'QUERY_TOO_BROAD') await countLeftOut(lengthOf(range));
        throw error;
      }
    };
    const { found, decoders } = await abis.read(work, readPage, ({ rows }) => abisOfActions(rows));
    return { body: await work.run(renderTraces(found, decoders, work.budget)) };
  };
};

function hasConditions({ filter, after, before, parent }: GetActionsByPositionRequest): boolean {
  return [filter, after, before, parent].some((condition) => condition !== undefined);
}

function lengthOf({ first, last }: PositionRange): number {
  return Math.max(0, last - first + 1);
}
