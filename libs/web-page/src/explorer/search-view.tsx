import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Api, RequestError } from '../api.js';
import { linkTo } from '../location.js';
import { Failure, Waiting } from './parts.js';
import { type Meaning, meaningsOf } from './search-text.js';

interface Found {
  meaning: Meaning;
  /** What of that meaning exists; undefined when nothing does. */
  what: string | undefined;
}

/** Asks the service for each meaning that the text can have. One that exists is shown at once, of several the person chooses. */
export function SearchView({ api, text }: { api: Api; text: string }): JSX.Element {
  const meanings = meaningsOf(text);
  const [found, setFound] = useState<Found[]>();
  const [failure, setFailure] = useState<RequestError>();
  useEffect(() => {
    const leaving = new AbortController();
    setFailure(undefined);
    Promise.all(meanings.map((meaning) => find(api, meaning, text, leaving.signal))).then(
      (results) => {
        const existing = results.filter(({ what }) => what !== undefined);
        if (existing.length === 1 && existing[0]) location.replace(linkTo(existing[0].meaning, text));
        else setFound(existing);
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) setFailure(error as RequestError);
      },
    );
    return () => leaving.abort();
  }, [api, text]);

  if (meanings.length === 0) return <NotUnderstood text={text} />;
  if (failure) return <Failure error={failure} triesAgain={false} />;
  if (!found) return <Waiting what={`Searching ${text}`} />;
  if (found.length === 0) {
    return (
      <>
        <h1>Nothing found</h1>
        <p>
          No {meanings.join(', no ')} of the indexed blocks is named <code>{text}</code>.
        </p>
      </>
    );
  }
  return (
    <>
      <h1>Several results</h1>
      <ul class="plain">
        {found.map(({ meaning, what }) => (
          <li key={meaning}>
            <a href={linkTo(meaning, text)}>{what}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function NotUnderstood({ text }: { text: string }): JSX.Element {
  return (
    <>
      <h1>Not understood</h1>
      <p>
        <code>{text}</code> has the form of none of these:
      </p>
      <ul>
        <li>an account name: up to 12 characters a–z, 1–5 and dots</li>
        <li>a public key: PUB_K1_…, PUB_R1_…, PUB_WA_… or EOS…</li>
        <li>a transaction id, or its first 8 digits and more</li>
        <li>a block number or a block id</li>
      </ul>
    </>
  );
}

async function find(api: Api, meaning: Meaning, text: string, signal: AbortSignal): Promise<Found> {
  try {
    return { meaning, what: await describe(api, meaning, text, signal) };
  } catch (error) {
    // "Not found" and "several transactions begin so" are responses.
    if (error instanceof RequestError && [400, 404].includes(error.status)) return { meaning, what: undefined };
    throw error;
  }
}

async function describe(api: Api, meaning: Meaning, text: string, signal: AbortSignal): Promise<string | undefined> {
  switch (meaning) {
    case 'account': {
      const body = { account_name: text, offset: 1 };
      const { actions } = await api.send({ path: '/v1/history/get_actions', body }, signal);
      return actions.length > 0 ? `Account ${text}` : undefined;
    }
    case 'key':
      return `Key ${text}`;
    case 'transaction': {
      const { id } = await api.send({ path: '/v1/history/get_transaction', body: { id: text } }, signal);
      return `Transaction ${id}`;
    }
    case 'block': {
      const body = { block_num_or_id: text };
      const { block_num: blockNum } = await api.send({ path: '/v1/chain/get_block', body }, signal);
      return `Block ${blockNum}`;
    }
  }
}
