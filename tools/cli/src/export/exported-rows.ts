import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { GetActionsResponse } from '@antelope-history/history-routes';

export type ActionRow = GetActionsResponse['actions'][number];

/**
 * A row with the JSON text that the service wrote: `JSON.parse` rounds numbers beyond 2^53 and changes the order of some keys, so only
 * fields without such values are read from `row`.
 */
export interface ExportedRow {
  row: ActionRow;
  text: string;
  /** The text of `data`, or of `hex_data` where the ABI did not decode it. */
  data: string;
}

/** The rows of a response of `get_actions`, and whether more follow. Throws when it is none. */
export function readRows(response: string): { rows: ExportedRow[]; more: boolean } {
  const root = parseTree(response);
  const actions = root && findNodeAtLocation(root, ['actions'])?.children;
  if (!actions) throw new SyntaxError('the response has no actions');
  const rows = actions.map((action): ExportedRow => {
    const text = textOf(response, action);
    const act = findNodeAtLocation(action, ['action_trace', 'act']);
    const data = act && (findNodeAtLocation(act, ['data']) ?? findNodeAtLocation(act, ['hex_data']));
    return { row: JSON.parse(text) as ActionRow, text, data: data ? textOf(response, data) : '' };
  });
  return { rows, more: findNodeAtLocation(root, ['more'])?.value === true };
}

function textOf(json: string, { offset, length }: Node): string {
  return json.slice(offset, offset + length);
}
