import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import type { GetActionsByPositionRequest, HISTORY_ROUTES } from '@antelope-history/history-routes';
import type { AccountTracesPage } from '@antelope-history/store';
import { toConditions } from './get-actions-query';
import { abisOfActions, renderTraces } from './get-actions-response';
import { pagePositions, pluginWindow } from './plugin-window';

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
      let isCut = false;
      const page = await reader.getAccountTraces({
        account,
        select: (count, firstKept) => {
          const stored = { first: firstKept, last: count - 1 };
          const positions = pagePositions(window(count), stored, { order, maxRows, hasConditions: !!conditions });
          isCut = positions.isCut;
          return positions;
        },
        order,
        conditions,
      });
      return { ...page, more: page.more || isCut };
    };
    const { found, decoders } = await abis.read(work, readPage, ({ rows }) => abisOfActions(rows));
    return { body: await work.run(renderTraces(found, decoders, work.budget)) };
  };
};

function hasConditions({ filter, after, before, parent }: GetActionsByPositionRequest): boolean {
  return [filter, after, before, parent].some((condition) => condition !== undefined);
}
