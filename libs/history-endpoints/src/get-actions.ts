import { checkAscWindow } from '@antelope-history/asc-window-guard';
import type { CreateEndpoint } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { HistoryError } from '@antelope-history/schemas';
import { toDataConditions } from './data-conditions';
import { toActionsQuery } from './get-actions-query';
import { abisOfActions, renderActions } from './get-actions-response';

export const createGetActions: CreateEndpoint<typeof HISTORY_ROUTES.getActions> = ({ reader, abis, config, now }) => {
  return async (request, work, dataFilters) => {
    const bounded = toActionsQuery(request, config.limits.getActions);
    const violation = checkAscWindow(bounded, now(), config);
    if (violation) throw new HistoryError(violation.code, violation.message);
    const query = { ...bounded, data: await toDataConditions(dataFilters, bounded.after, reader) };
    const { found, decoders } = await abis.read(
      work,
      () => reader.getActions(query, (steps) => work.pauseSearch(steps)),
      ({ rows }) => abisOfActions(rows),
    );
    return { body: await work.run(renderActions(found, query.account, decoders, work.budget)) };
  };
};
