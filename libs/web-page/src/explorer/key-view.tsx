import type { JSX } from 'preact';
import type { Api } from '../api.js';
import { useRequest } from '../use-request.js';
import { AccountLink, Failure, RequestBox, Waiting } from './parts.js';

const REFRESH_MS = 15_000;

/** The accounts that have a key in one of their permissions. */
export function KeyView({ api, publicKey }: { api: Api; publicKey: string }): JSX.Element {
  const request = { path: '/v1/history/get_key_accounts', body: { public_key: publicKey } } as const;
  const requested = useRequest(api, request, REFRESH_MS);
  if (requested.state === 'waiting') return <Waiting />;
  if (requested.state === 'failed') return <Failure error={requested.error} />;
  const { account_names: names } = requested.response;
  return (
    <>
      <h1>Public key</h1>
      <p class="whole-id">
        <code>{publicKey}</code>
      </p>
      <h2>Accounts with this key</h2>
      <AccountList names={names} none="No account has a permission with this key." />
      <RequestBox api={api} request={request} response={requested.response} />
    </>
  );
}

export function AccountList({ names, none }: { names: string[]; none: string }): JSX.Element {
  if (names.length === 0) return <p class="soft">{none}</p>;
  return (
    <ul class="names">
      {names.map((name) => (
        <li key={name}>
          <AccountLink name={name} />
        </li>
      ))}
    </ul>
  );
}
