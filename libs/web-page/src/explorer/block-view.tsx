import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';
import type { Api } from '../api.js';
import { formatChainTime, formatNumber } from '../format.js';
import { linkTo } from '../location.js';
import { useRequest } from '../use-request.js';
import { DataView } from './data-view.js';
import { AccountLink, Fact, Failure, RequestBox, TransactionId, TransactionLink, Waiting } from './parts.js';
import { withoutNotifications } from './trace-tree.js';

type Transaction = GetTraceBlockResponse['transactions'][number];

const REFRESH_MS = 5_000;
/** A block can have thousands of transactions. */
const FIRST_TRANSACTIONS = 100;

/** A block and its transactions, by number or id. */
export function BlockView({ api, numOrId }: { api: Api; numOrId: string }): JSX.Element {
  const body = /^\d{1,10}$/.test(numOrId) ? { block_num: numOrId } : { block_id: numOrId };
  const request = { path: '/v1/trace_api/get_block', body } as const;
  const requested = useRequest(api, request, REFRESH_MS, ({ status }) => status === 'irreversible');
  const [all, setAll] = useState(false);
  if (requested.state === 'waiting') return <Waiting />;
  if (requested.state === 'failed') return <Failure error={requested.error} />;
  const { response: block } = requested;
  const shown = all ? block.transactions : block.transactions.slice(0, FIRST_TRANSACTIONS);
  return (
    <>
      <div class="title">
        <h1>Block {formatNumber(block.number)}</h1>
        <nav aria-label="Neighbours">
          {block.number > 1 && <a href={linkTo('block', String(block.number - 1))}>Previous</a>}
          <a href={linkTo('block', String(block.number + 1))}>Next</a>
        </nav>
      </div>
      <p class="whole-id">
        <code>{block.id}</code>
      </p>
      <dl class="figures card">
        <Fact name="Time (UTC)">{formatChainTime(block.timestamp)}</Fact>
        <Fact name="Producer">
          <AccountLink name={block.producer} />
        </Fact>
        <Fact name="Finality">
          <span class={`badge ${block.status === 'irreversible' ? 'ok' : 'catching_up'}`}>
            {block.status === 'irreversible' ? 'irreversible' : 'can still change'}
          </span>
        </Fact>
        <Fact name="Transactions">{formatNumber(block.transactions.length)}</Fact>
        <Fact name="Schedule">{formatNumber(block.schedule_version)}</Fact>
        <div class="wide">
          <dt>Previous block</dt>
          <dd>
            <a class="id" href={linkTo('block', block.previous_id)}>
              {block.previous_id}
            </a>
          </dd>
        </div>
      </dl>
      <h2>Transactions</h2>
      {shown.length === 0 && <p class="soft">No transactions.</p>}
      {shown.map((transaction) => (
        <BlockTransaction key={transaction.id} transaction={transaction} />
      ))}
      {shown.length < block.transactions.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {formatNumber(block.transactions.length)}
        </button>
      )}
      <RequestBox api={api} request={request} response={block} />
    </>
  );
}

/** Actions of one transaction that are listed; its own view has the others. */
const MAX_ACTIONS = 20;

function BlockTransaction({ transaction: { id, actions, status } }: { transaction: Transaction }): JSX.Element {
  // A notification repeats its action.
  const own = withoutNotifications(actions);
  return (
    <article class="card">
      <p class="title">
        {status === 'executed' ? <TransactionLink id={id} /> : <TransactionId id={id} />}
        <span class="soft">{status}</span>
      </p>
      <ul class="plain acts">
        {own.slice(0, MAX_ACTIONS).map((action) => (
          <li key={String(action.global_sequence)}>
            <p class="act">
              <AccountLink name={action.account} />:<b>{action.action}</b>
            </p>
            <DataView data={action.params ?? action.data} />
          </li>
        ))}
      </ul>
      {own.length > MAX_ACTIONS && (
        <a href={linkTo('transaction', id)}>{formatNumber(own.length - MAX_ACTIONS)} more actions</a>
      )}
    </article>
  );
}
