import type { JSX } from 'preact';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import { formatChainTime } from '../format.js';
import { DataView } from './data-view.js';
import { AccountLink, BlockLink, TransactionLink } from './parts.js';
import { isNotification } from './trace-tree.js';

/** Characters of a value in a table; the transaction's own view has more. */
const SHOWN_DATA = 120;

type Row = GetActionsResponse['actions'][number];

/** `account`: whose actions they are; empty for those of the whole chain. */
export function ActionsTable({ actions, account }: { actions: Row[]; account: string }): JSX.Element {
  if (actions.length === 0) return <p class="soft">No actions.</p>;
  return (
    <div class="scroll" role="region" aria-label="Table of actions" tabIndex={0}>
      <table class="actions">
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col">Block</th>
            <th scope="col">Transaction</th>
            <th scope="col">Action</th>
            <th scope="col">Authorised by</th>
            <th scope="col">Data</th>
          </tr>
        </thead>
        <tbody>
          {actions.map((row) => (
            <ActionRow key={row.global_action_seq} row={row} account={account} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ActionRow({
  row: { action_trace: trace, block_num: blockNum, block_time: time },
  account,
}: {
  row: Row;
  account: string;
}): JSX.Element {
  const { act, receiver } = trace;
  const isNotified = account !== '' && receiver === account && isNotification(trace);
  return (
    <tr>
      <td>
        <time>{formatChainTime(time)}</time>
      </td>
      <td>
        <BlockLink num={blockNum} />
      </td>
      <td>
        <TransactionLink id={trace.trx_id} />
      </td>
      <td>
        <AccountLink name={act.account} />:<b>{act.name}</b>
        {isNotified && <span class="badge soft">notified</span>}
      </td>
      <td>
        {act.authorization.map(({ actor, permission }, index) => (
          <span key={index} class="authorization">
            <AccountLink name={actor} />@{permission}
          </span>
        ))}
      </td>
      <td>
        <DataView data={act.data ?? act.hex_data} shownLength={SHOWN_DATA} />
      </td>
    </tr>
  );
}
