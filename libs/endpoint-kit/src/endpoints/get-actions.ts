import { abisOfActions, renderActions } from '@antelope-history/responses';
import { checkAscWindow } from '@antelope-history/asc-guard';
import type { ROUTES } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import { toActionsQuery } from '../actions-query';
import type { Endpoint, EndpointContext } from '../endpoint';

export function createGetActions({ reader, abis, config, now }: EndpointContext): Endpoint<typeof ROUTES.getActions> {
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
}
