import type { JsonObject } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { parseExactJson } from './exact-json';
import type { ServedRecording } from './served-recording';

const PAGE = 1000;

/** All rows that get_actions returns for an account, or for the chain when it is undefined, oldest first. */
export async function readAllRows(served: ServedRecording, account: string | undefined): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for (;;) {
    const request = { account_name: account, sort: 'asc', after: 1, pos: rows.length, offset: PAGE };
    const { body } = await served.post(ROUTES.getActions.path, request);
    const page = parseExactJson(body) as { actions: JsonObject[]; more: boolean };
    rows.push(...page.actions);
    if (!page.more) return rows;
  }
}
