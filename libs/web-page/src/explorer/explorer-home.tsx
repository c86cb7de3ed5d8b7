import type { JSX } from 'preact';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import type { Api } from '../api.js';
import { formatSeconds } from '../format.js';
import { useRequest } from '../use-request.js';
import { ActionsTable } from './actions-table.js';
import { BlockLink, Fact, Failure, RequestBox, Waiting } from './parts.js';

const REFRESH_MS = 3_000;
/** More than are shown, because quiet chains have little else than `onblock`. */
const LATEST = { path: '/v1/history/get_actions', body: { offset: 100 } } as const;
const SHOWN_ROWS = 15;

function isOfInterest({ action_trace: { act } }: GetActionsResponse['actions'][number]): boolean {
  return act.account !== 'eosio' || act.name !== 'onblock';
}

/** The start of the explorer: where the chain is, and its newest actions. */
export function ExplorerHome({ api }: { api: Api }): JSX.Element {
  const health = useRequest(api, { path: '/health' }, REFRESH_MS);
  const latest = useRequest(api, LATEST, REFRESH_MS);
  if (latest.state === 'failed') return <Failure error={latest.error} />;
  const chain = health.state === 'done' ? health.response : undefined;
  return (
    <>
      <h1>Chain</h1>
      {chain && (
        <dl class="figures card">
          <Fact name="Newest block">
            {chain.committed_block_num === null ? 'none yet' : <BlockLink num={chain.committed_block_num} />}
          </Fact>
          <Fact name="Its age">{formatSeconds(chain.committed_age_seconds)}</Fact>
          <Fact name="Last irreversible">
            {chain.last_irreversible_block_num === null ? '–' : <BlockLink num={chain.last_irreversible_block_num} />}
          </Fact>
          <Fact name="First block there is">
            {chain.first_block_num === null ? '–' : <BlockLink num={chain.first_block_num} />}
          </Fact>
          <div class="wide">
            <dt>Chain id</dt>
            <dd>
              <code>{chain.chain_id ?? 'not known yet'}</code>
            </dd>
          </div>
        </dl>
      )}
      <h2>Newest actions</h2>
      <p class="soft">Without those of each block (eosio:onblock).</p>
      {latest.state === 'done' ? (
        <>
          <ActionsTable actions={latest.response.actions.filter(isOfInterest).slice(0, SHOWN_ROWS)} account="" />
          <RequestBox api={api} request={LATEST} response={latest.response} />
        </>
      ) : (
        <Waiting />
      )}
    </>
  );
}
