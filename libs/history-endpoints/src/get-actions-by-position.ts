import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import type { AccountTracesPage } from '@antelope-history/store';
import { abisOfActions, renderTraces } from './get-actions-response';
import { pluginWindow } from './plugin-window';

export const createGetActionsByPosition: CreateEndpoint<typeof HISTORY_ROUTES.getActionsByPosition> = ({
  reader,
  abis,
  config,
}) => {
  const maxRows = config.limits.getActions;
  return async ({ account_name: name, pos, offset }, work) => {
    // The plugin read an absent name as the empty one, which no account has.
    const account = name ? parseAccountName('account_name', name) : undefined;
    const window = pluginWindow(pos, offset);
    const readPage = async (): Promise<AccountTracesPage> => {
      if (account === undefined) return { status: await reader.getStatus(), rows: [], more: false };
      let isCut = false;
      const page = await reader.getAccountTraces({
        account,
        select: (count) => {
          const { first, last } = window(count);
          const start = Math.max(0, first);
          isCut = Math.min(last, count - 1) - start >= maxRows;
          return { first: start, last: Math.min(last, start + maxRows - 1) };
        },
      });
      return { ...page, more: page.more || isCut };
    };
    const { found, decoders } = await abis.read(work, readPage, ({ rows }) => abisOfActions(rows));
    return { body: await work.run(renderTraces(found, decoders, work.budget)) };
  };
};
