import { stringifyJson, type JsonObject } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { type HistoryResponse, readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { type Comparison, compareResponses, explainedBy, merged, unexplained } from '../comparison';
import { parseExactJson } from '../exact-json';
import { inParallel } from '../in-parallel';
import { NEWEST_THEN, PLUGIN_PAGE_REASONS, PLUGIN_ROW_REASONS } from '../reasons/history';
import type { RecordedChain } from '../recorded-chain';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const RECORDED_PATH = ROUTES.getActions.path;
const PATH = ROUTES.getActionsByPosition.path;

/** Repeats every request to `get_actions` of the original history plugin (recorded on EOSIO 2.0 only). */
export const checkActionsByPosition: Check = async (chain, served) => {
  if (chain.name !== 'eosio20-edge') return [];
  const recorded = [...readHistoryResponses(sampleFolder(served.name))].filter(
    ({ path, status }) => path === RECORDED_PATH && status === 200,
  );
  const tally = new Tally('history/nodeos/get_actions', served.name);
  await inParallel(served.some(recorded), REQUESTS_AT_A_TIME, async ({ request, body }: HistoryResponse) => {
    const ours = await served.post(PATH, request as object);
    const then = newestThen(request as ActionsRequest, body, ours.body);
    const parts = then
      ? [explainedBy(NEWEST_THEN), comparePages(body, (await served.post(PATH, then)).body, chain)]
      : [];
    tally.add(JSON.stringify(request), then ? merged(parts) : comparePages(body, ours.body, chain));
  });
  return [tally.outcome()];
};

interface ActionsRequest {
  account_name?: string;
  pos?: number;
  offset?: number;
}

type Page = JsonObject & { actions: (JsonObject & { block_num: number; account_action_seq: number })[] };

/** The request for the recorded rows by their positions, if they were the newest rows and newer ones followed. */
function newestThen(request: ActionsRequest, recordedText: string, oursText: string): ActionsRequest | undefined {
  const { pos = -1, offset = -20 } = request;
  const last = lastPosition(recordedText);
  if (last === undefined || last === lastPosition(oursText)) return undefined;
  if (pos === -1) return { ...request, pos: last, offset: offset + 1 };
  return offset > 0 && last < pos + offset ? { ...request, offset: last - pos } : undefined;
}

function lastPosition(text: string): number | undefined {
  return (JSON.parse(text) as Page).actions.at(-1)?.account_action_seq;
}

/** Row by row, because the proof of a difference needs the row's block. */
function comparePages(recordedText: string, oursText: string, chain: RecordedChain): Comparison {
  const { actions: recordedRows, ...recorded } = parseExactJson(recordedText) as Page;
  const { actions: rows, ...ours } = parseExactJson(oursText) as Page;
  if (recordedRows.length !== rows.length) return unexplained(`${recordedRows.length} rows, ours ${rows.length}`);
  const comparisons = recordedRows.map((row, index) =>
    compareResponses(stringifyJson(row), stringifyJson(rows[index] ?? null), PLUGIN_ROW_REASONS, {
      chain,
      block: chain.block(row.block_num),
    }),
  );
  const page = compareResponses(stringifyJson(recorded), stringifyJson(ours), PLUGIN_PAGE_REASONS, { chain });
  return merged([page, ...comparisons]);
}
