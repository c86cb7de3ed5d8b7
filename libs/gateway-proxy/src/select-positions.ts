import type { RequestHandler } from 'express';
import type { Config } from '@antelope-history/app-runtime';
import { ACTIONS_BY_ROWS_PATH, ROUTES } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';

const BY_ROWS = ROUTES.getActions.path;
const BY_NODEOS = ROUTES.getActionsByPosition.path;

/**
 * Directs get_actions requests to the endpoint whose positions they mean: by a path that names them, else by the path prefix, the
 * header, or `api.positions`. Removes the prefix from all paths. Throws `INVALID_REQUEST` for an unknown value of the header.
 */
export function selectPositions({ positions, positionsHeader, nodeosPathPrefix }: Config['api']): RequestHandler {
  return (request, _response, next) => {
    const hasPrefix = nodeosPathPrefix !== undefined && request.path.startsWith(`${nodeosPathPrefix}/`);
    if (hasPrefix) request.url = request.url.slice(nodeosPathPrefix.length);
    const path = request.path.replace(/\/$/, '');
    if (path === BY_ROWS) {
      const wanted = hasPrefix ? 'nodeos' : readHeader(positionsHeader, request.headers, positions);
      if (wanted === 'nodeos') request.url = BY_NODEOS;
    } else if (path === ACTIONS_BY_ROWS_PATH) request.url = BY_ROWS;
    next();
  };
}

type Positions = Config['api']['positions'];

function readHeader(
  name: string | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  otherwise: Positions,
): Positions {
  const value = name === undefined ? undefined : headers[name];
  if (value === undefined || value === 'rows' || value === 'nodeos') return value ?? otherwise;
  throw new HistoryError('INVALID_REQUEST', `the header ${name} takes rows or nodeos`);
}
