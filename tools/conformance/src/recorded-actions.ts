import type { JsonObject } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { parseExactJson } from './exact-json';
import { sequence, type TraceJson } from './naive-actions';
import { actionTraces, executedTraces } from './recorded-block';
import type { RecordedChain } from './recorded-chain';
import { actionTraceJson } from './ship-responses';

export interface RecordedActions {
  /** Every action trace of the chain by its global sequence. */
  traces: Map<number, TraceJson>;
  /** The rows that the history plugin returned, by `<account>/<global sequence>`. */
  pluginRows: Map<string, JsonObject>;
}

/** Reads actions from responses of the original history plugin; from the state history where there is no response. */
export function readRecordedActions(chain: RecordedChain): RecordedActions {
  const isRecorded = chain.name === 'eosio20-edge';
  const traces = [...tracesOfShip(chain), ...(isRecorded ? tracesOfPlugin(chain) : [])];
  return {
    traces: new Map(traces.map((trace) => [sequence(trace), trace])),
    pluginRows: isRecorded ? rowsOfPlugin(chain) : new Map<string, JsonObject>(),
  };
}

function tracesOfPlugin({ name }: RecordedChain): TraceJson[] {
  return [...readHistoryResponses(sampleFolder(name))]
    .filter(({ path, status }) => path === ROUTES.getTransaction.path && status === 200)
    .flatMap(({ body }) => (parseExactJson(body) as { traces: TraceJson[] }).traces);
}

interface PluginPage {
  actions: (JsonObject & { global_action_seq: number })[];
}

function rowsOfPlugin({ name }: RecordedChain): Map<string, JsonObject> {
  const rows = new Map<string, JsonObject>();
  for (const { path, status, request, body } of readHistoryResponses(sampleFolder(name))) {
    if (path !== ROUTES.getActions.path || status !== 200) continue;
    const { account_name } = request as { account_name?: string };
    for (const row of (parseExactJson(body) as unknown as PluginPage).actions) {
      rows.set(`${account_name}/${row.global_action_seq}`, row);
    }
  }
  return rows;
}

function tracesOfShip(chain: RecordedChain): TraceJson[] {
  return [...chain.blocks.values()].flatMap((block) =>
    executedTraces(block).flatMap((transaction) => {
      const traces = actionTraces(transaction);
      return traces.map((trace) => actionTraceJson(chain, block, transaction.id, traces, trace) as TraceJson);
    }),
  );
}
