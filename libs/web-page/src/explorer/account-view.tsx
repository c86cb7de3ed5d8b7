import type { JSX } from 'preact';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import type { Api } from '../api.js';
import { formatNumber } from '../format.js';
import { linkTo } from '../location.js';
import { useRequest } from '../use-request.js';
import { ActionsTable } from './actions-table.js';
import { AccountList } from './key-view.js';
import { Failure, RequestBox, Waiting } from './parts.js';

const REFRESH_MS = 5_000;
const PAGE_ROWS = 25;
const FIELDS = ['filter', 'after', 'before', 'sort'] as const;

interface AccountViewProps {
  api: Api;
  account: string;
  /** Of the address: the fields of the form, `pos` of the page, and `rows`, the number of rows of the page before. */
  parameters: Record<string, string>;
}

/** An account's actions, page by page, and the accounts that it controls. */
export function AccountView({ api, account, parameters }: AccountViewProps): JSX.Element {
  const pos = Number(parameters['pos'] ?? 0) || 0;
  const request = { path: '/v1/history/get_actions', body: bodyOf(account, parameters, pos) } as const;
  const requested = useRequest(api, request, REFRESH_MS, (response) => isSettled(response, parameters));
  return (
    <>
      <h1>
        Account <span class="name">{account}</span>
      </h1>
      <Controlled api={api} account={account} />
      <h2>Actions</h2>
      <FilterForm account={account} parameters={parameters} />
      {requested.state === 'waiting' && <Waiting />}
      {requested.state === 'failed' && <Failure error={requested.error} />}
      {requested.state === 'done' && (
        <>
          <ActionsTable actions={requested.response.actions} account={account} />
          <Pages account={account} parameters={parameters} pos={pos} response={requested.response} />
          <RequestBox api={api} request={request} response={requested.response} />
        </>
      )}
    </>
  );
}

function bodyOf(account: string, parameters: Record<string, string>, pos: number): object {
  const given = Object.fromEntries(
    FIELDS.flatMap((field) => (parameters[field] ? [[field, parameters[field]] as const] : [])),
  );
  // The service answers "oldest first" only with a bound: the first block is one.
  const bound = given['sort'] === 'asc' && !given['after'] && !given['before'] ? { after: '1' } : {};
  return { account_name: account, pos, offset: PAGE_ROWS, ...given, ...bound };
}

/** A page that ends at a block which no fork replaces any more does not change. */
function isSettled(response: GetActionsResponse, { before }: Record<string, string>): boolean {
  return before !== undefined && /^\d+$/.test(before) && Number(before) <= response.last_irreversible_block;
}

interface PagesProps extends Omit<AccountViewProps, 'api'> {
  pos: number;
  response: GetActionsResponse;
}

/**
 * Links to the neighbouring pages. Positions count from the newest row, which changes: the pages after the first one are those
 * of the state up to the block that was the head when the first one was shown.
 */
function Pages({ account, parameters, pos, response }: PagesProps): JSX.Element {
  const isDescending = parameters['sort'] !== 'asc';
  const head = String(response.head_block_num);
  const anchor = parameters['before'] ?? (isDescending ? head : undefined);
  const { length } = response.actions;
  // The service may allow less than `PAGE_ROWS`: then its pages are as long as a page that others follow.
  const rows = response.more ? length : Number(parameters['rows'] ?? PAGE_ROWS) || PAGE_ROWS;
  const pageAt = (at: number): string =>
    linkTo('account', account, {
      ...parameters,
      before: anchor,
      pos: at > 0 ? String(at) : undefined,
      rows: at > 0 && rows !== PAGE_ROWS ? String(rows) : undefined,
    });
  return (
    <nav class="pages" aria-label="Pages">
      {pos > 0 && <a href={linkTo('account', account, { ...parameters, pos: undefined, rows: undefined })}>First</a>}
      {pos > 0 && <a href={pageAt(Math.max(0, pos - rows))}>{isDescending ? 'Newer' : 'Older'}</a>}
      <span class="soft">
        {length === 0 ? 'no rows' : `rows ${formatNumber(pos + 1)} to ${formatNumber(pos + length)}`}
      </span>
      {response.more && <a href={pageAt(pos + length)}>{isDescending ? 'Older' : 'Newer'}</a>}
    </nav>
  );
}

function FilterForm({ account, parameters }: Omit<AccountViewProps, 'api'>): JSX.Element {
  const apply = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const chosen = Object.fromEntries(FIELDS.map((field) => [field, textOf(form.get(field))]));
    if (chosen['sort'] === 'desc') delete chosen['sort'];
    location.hash = linkTo('account', account, chosen);
  };
  return (
    <form class="filter card" onSubmit={apply} key={JSON.stringify(parameters)}>
      <Field name="filter" label="Contract and action" hint="eosio.token:transfer" value={parameters['filter']} />
      <Field name="after" label="From" hint="2026-01-31 or a block" value={parameters['after']} />
      <Field name="before" label="To" hint="2026-01-31 or a block" value={parameters['before']} />
      <label>
        Order
        <select name="sort" defaultValue={parameters['sort'] === 'asc' ? 'asc' : 'desc'}>
          <option value="desc" selected={parameters['sort'] !== 'asc'}>
            newest first
          </option>
          <option value="asc" selected={parameters['sort'] === 'asc'}>
            oldest first
          </option>
        </select>
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : '';
}

interface FieldProps {
  name: string;
  label: string;
  hint: string;
  value: string | undefined;
}

function Field({ name, label, hint, value = '' }: FieldProps): JSX.Element {
  return (
    <label>
      {label}
      <input name={name} placeholder={hint} defaultValue={value} autocapitalize="off" spellcheck={false} />
    </label>
  );
}

const CONTROLLED_REFRESH_MS = 30_000;

function Controlled({ api, account }: { api: Api; account: string }): JSX.Element | null {
  const request = { path: '/v1/history/get_controlled_accounts', body: { controlling_account: account } } as const;
  const requested = useRequest(api, request, CONTROLLED_REFRESH_MS);
  if (requested.state !== 'done' || requested.response.controlled_accounts.length === 0) return null;
  const { controlled_accounts: names } = requested.response;
  return (
    <details class="controlled">
      <summary>Controls {names.length === 1 ? '1 account' : `${formatNumber(names.length)} accounts`}</summary>
      <AccountList names={names} none="" />
    </details>
  );
}
