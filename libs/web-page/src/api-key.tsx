import { createContext, type JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';

/** Where the tab keeps the key; it is gone when the tab is closed. */
const STORED_AS = 'antelope-history.api-key';

/** What a header can hold; keys of `openssl rand -hex 24` have 48 characters. */
const KEY = /^[\x21-\x7e]{1,512}$/;

/** Sets the API key with which the page sends its requests. */
export const SetApiKey = createContext<(key: string) => void>(() => undefined);

/** The API key of this tab, undefined when it has none, and the function that sets it. */
export function useApiKey(): [string | undefined, (key: string) => void] {
  const [key, setKey] = useState(readStored);
  const set = (next: string): void => {
    setKey(next);
    try {
      sessionStorage.setItem(STORED_AS, next);
    } catch {
      // A browser may forbid storage: the key is then kept until the page is left.
    }
  };
  return [key, set];
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(STORED_AS) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Asks for the API key that the service requires. */
export function ApiKeyForm(): JSX.Element {
  const setApiKey = useContext(SetApiKey);
  const [typed, setTyped] = useState('');
  const key = typed.trim();
  const send = (event: Event): void => {
    event.preventDefault();
    if (KEY.test(key)) setApiKey(key);
  };
  return (
    <form class="api-key" onSubmit={send}>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!KEY.test(key)}>
        Use this key
      </button>
      <p class="soft">This tab keeps the key until it is closed.</p>
    </form>
  );
}
