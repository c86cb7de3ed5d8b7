import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GetTransactionResponse } from '@antelope-history/history-routes';
import type { Api } from '../api.js';
import { formatChainTime, formatNumber } from '../format.js';
import { useRequest } from '../use-request.js';
import { DataView } from './data-view.js';
import { AccountLink, BlockLink, Fact, Failure, Finality, RequestBox, Waiting } from './parts.js';
import { buildTraceTree, isNotification, type TraceNode } from './trace-tree.js';

const REFRESH_MS = 5_000;
/** A transaction can have tens of thousands of traces. */
const FIRST_TRACES = 300;

/** A transaction as a tree of its actions. `id` may be the beginning of one. */
export function TransactionView({ api, id }: { api: Api; id: string }): JSX.Element {
  const request = { path: '/v1/history/get_transaction', body: { id } } as const;
  const requested = useRequest(api, request, REFRESH_MS, isFinal);
  const [all, setAll] = useState(false);
  if (requested.state === 'waiting') return <Waiting />;
  if (requested.state === 'failed') return <Failure error={requested.error} />;
  const { response } = requested;
  const { traces, block_num: blockNum, trx } = response;
  const shown = all ? traces : traces.slice(0, FIRST_TRACES);
  return (
    <>
      <h1>Transaction</h1>
      <p class="whole-id">
        <code>{response.id}</code>
      </p>
      <dl class="figures card">
        <Fact name="Status">{trx ? trx.receipt.status : 'implicit'}</Fact>
        <Fact name="Block">
          <BlockLink num={blockNum} />
        </Fact>
        <Fact name="Finality">
          <Finality blockNum={blockNum} irreversible={response.last_irreversible_block} />
        </Fact>
        <Fact name="Time (UTC)">{formatChainTime(response.block_time)}</Fact>
        <Fact name="CPU">{trx ? `${formatNumber(trx.receipt.cpu_usage_us)} µs` : '–'}</Fact>
        <Fact name="Net">{trx ? `${formatNumber(trx.receipt.net_usage_words * 8)} bytes` : '–'}</Fact>
      </dl>
      <h2>{traces.length === 1 ? '1 action' : `${formatNumber(traces.length)} actions and notifications`}</h2>
      <TraceList nodes={buildTraceTree(shown)} />
      {shown.length < traces.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {formatNumber(traces.length)}
        </button>
      )}
      <Signatures response={response} />
      <RequestBox api={api} request={request} response={response} />
    </>
  );
}

function isFinal({ block_num: blockNum, last_irreversible_block: irreversible }: GetTransactionResponse): boolean {
  return blockNum <= irreversible;
}

function TraceList({ nodes }: { nodes: TraceNode[] }): JSX.Element {
  return (
    <ol class="tree">
      {nodes.map((node) => (
        <li key={node.trace.action_ordinal}>
          <Trace node={node} />
          {node.children.length > 0 && <TraceList nodes={node.children} />}
        </li>
      ))}
    </ol>
  );
}

function Trace({ node: { trace, notified } }: { node: TraceNode }): JSX.Element {
  const { act, receiver, receipt, console: printed, return_value_data: returned } = trace;
  return (
    <article class="card trace">
      <p class="act">
        <AccountLink name={act.account} />:<b>{act.name}</b>
        {isNotification(trace) && (
          <span class="badge soft">
            notifies <AccountLink name={receiver} />
          </span>
        )}
        {trace.context_free && <span class="badge soft">context-free</span>}
        <span class="soft sequence">#{String(receipt.global_sequence)}</span>
      </p>
      {act.authorization.length > 0 && (
        <p class="soft">
          authorised by{' '}
          {act.authorization.map(({ actor, permission }, index) => (
            <span key={index} class="authorization">
              <AccountLink name={actor} />@{permission}
            </span>
          ))}
        </p>
      )}
      <DataView data={act.data} />
      {returned !== undefined && (
        <div class="returned">
          <span class="soft">returns</span> <DataView data={returned} />
        </div>
      )}
      {printed !== '' && <pre class="console">{printed}</pre>}
      {notified.length > 0 && (
        <p class="soft">
          notifies{' '}
          {notified.map((name, index) => (
            <span key={index} class="authorization">
              <AccountLink name={name} />
            </span>
          ))}
        </p>
      )}
    </article>
  );
}

function Signatures({ response: { trx } }: { response: GetTransactionResponse }): JSX.Element | null {
  const signatures = trx?.trx?.signatures ?? [];
  if (signatures.length === 0) return null;
  return (
    <details>
      <summary>{signatures.length === 1 ? '1 signature' : `${signatures.length} signatures`}</summary>
      <ul class="plain">
        {signatures.map((signature) => (
          <li key={signature}>
            <code>{signature}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
