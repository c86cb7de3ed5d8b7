import { checkAscWindow } from '@antelope-history/asc-window-guard';
import type { CreateEndpoint } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { HistoryError } from '@antelope-history/schemas';
import { toActionsQuery } from './get-actions-query';
import { abisOfActions, renderActions } from './get-actions-response';

export const createGetActions: CreateEndpoint<typeof HISTORY_ROUTES.getActions> = ({ reader, abis, config, now }) => {
  return async (request, work) => {
    const query = toActionsQuery(request, config.limits.getActions);
    const violation = checkAscWindow(query, now(), config);
    if (violation) throw new HistoryError(violation.code, violation.message);
    const { found, decoders } = await abis.read(
      work,
      () => reader.getActions(query),
      ({ rows }) => abisOfActions(rows),
    );
    return { body: await work.run(renderActions(found, query.account, decoders, work.budget)) };
  };
};
