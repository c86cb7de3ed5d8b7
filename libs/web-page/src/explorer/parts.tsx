import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Api, ApiRequest, RequestError } from '../api.js';
import { ApiKeyForm } from '../api-key.js';
import { shorten } from '../format.js';
import { linkTo } from '../location.js';

export function Waiting({ what = 'Loading' }: { what?: string }): JSX.Element {
  return (
    <p class="soft" role="status">
      {what} …
    </p>
  );
}

/** The headings of failures by HTTP status; 0 = there was no response. */
const FAILURES: Readonly<Record<number, string>> = {
  0: 'No response',
  401: 'An API key is needed',
  404: 'Not found',
};

/** `triesAgain`: whether the view repeats a request that failed for a reason that passes, as `useRequest` does. */
export function Failure({ error, triesAgain = true }: { error: RequestError; triesAgain?: boolean }): JSX.Element {
  const isPassing = error.status === 0 || error.status === 429 || error.status >= 500;
  return (
    <div class="failure" role="alert">
      <h1>{FAILURES[error.status] ?? (error.status >= 500 ? 'The service failed' : 'The request was refused')}</h1>
      <p>{error.message}</p>
      {triesAgain && isPassing && <p class="soft">This view tries again by itself.</p>}
      {error.status === 401 && <ApiKeyForm />}
    </div>
  );
}

export function AccountLink({ name }: { name: string }): JSX.Element {
  return name === '' ? <code>(none)</code> : <a href={linkTo('account', name)}>{name}</a>;
}

export function BlockLink({ num }: { num: number }): JSX.Element {
  return <a href={linkTo('block', String(num))}>{num.toLocaleString('en-US')}</a>;
}

export function TransactionLink({ id, whole = false }: { id: string; whole?: boolean }): JSX.Element {
  return (
    <a class="id" href={linkTo('transaction', id)} title={id}>
      {whole ? id : shorten(id)}
    </a>
  );
}

/** The id of a transaction that failed: only its block has what was executed in its place. */
export function TransactionId({ id }: { id: string }): JSX.Element {
  return (
    <span class="id" title={id}>
      {shorten(id)}
    </span>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Whether a block can still be replaced by a fork. */
export function Finality({ blockNum, irreversible }: { blockNum: number; irreversible: number }): JSX.Element {
  return blockNum <= irreversible ? (
    <span class="badge ok">irreversible</span>
  ) : (
    <span class="badge catching_up">can still change</span>
  );
}

/** Longer texts would freeze the page; the line for the terminal gets all of it. */
const SHOWN_LENGTH = 200_000;

/** The request behind a view: the line for a terminal, and the response. */
export function RequestBox({
  api,
  request,
  response,
}: {
  api: Api;
  request: ApiRequest;
  response: unknown;
}): JSX.Element {
  const [copied, setCopied] = useState('');
  const [open, setOpen] = useState(false);
  const curl = api.toCurl(request);
  const copy = (): void => {
    // Only pages on this machine or over HTTPS may write to the clipboard.
    const write = (navigator as { clipboard?: Clipboard }).clipboard?.writeText(curl) ?? Promise.reject(new Error());
    write.then(
      () => setCopied('Copied'),
      () => setCopied('Select the line to copy it'),
    );
  };
  return (
    <section class="request" aria-label="The request behind this view">
      <h2>Request</h2>
      <div class="curl">
        <code tabIndex={0}>{curl}</code>
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span role="status">{copied}</span>
      </div>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Response as JSON</summary>
        {open && <pre tabIndex={0}>{printJson(response)}</pre>}
      </details>
    </section>
  );
}

function printJson(response: unknown): string {
  const text = JSON.stringify(response, null, 2);
  const rest = text.length - SHOWN_LENGTH;
  return rest <= 0 ? text : `${text.slice(0, SHOWN_LENGTH)}\n… ${rest.toLocaleString('en-US')} more characters`;
}
