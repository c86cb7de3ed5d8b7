import type { JSX, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Api } from './api.js';
import { SetApiKey, useApiKey } from './api-key.js';
import { AccountView } from './explorer/account-view.js';
import { BlockView } from './explorer/block-view.js';
import { ExplorerHome } from './explorer/explorer-home.js';
import { KeyView } from './explorer/key-view.js';
import { SearchBox } from './explorer/search-box.js';
import { SearchView } from './explorer/search-view.js';
import { TransactionView } from './explorer/transaction-view.js';
import { shorten } from './format.js';
import { linkTo, parseView, type View } from './location.js';
import { StatusView } from './operator/status-view.js';
import { apiUrlOf, chainListOf, type Settings } from './settings.js';

/** Beside the modules of the page. */
const ICON = new URL('./icon.svg', import.meta.url).href;

/** An id has 64 characters; an address may have any number. */
const TITLE_LENGTH = 80;

const LINK_NAMES: Record<string, string> = {
  '/docs': 'API documentation',
  '/openapi.json': 'OpenAPI',
  '/metrics': 'Metrics',
  '/health': 'Health',
};

/** Where the gateway serves several chains: which one this is, and the way to the others. */
function ChainName({ settings, name }: { settings: Settings; name: string }): JSX.Element {
  const list = chainListOf(settings, location);
  return list === undefined ? (
    <span class="chain">{name}</span>
  ) : (
    <a class="chain" href={list} title="All chains of this service">
      {name}
    </a>
  );
}

/** The whole page: the frame, and the view that the address names. */
export function App({ settings }: { settings: Settings }): JSX.Element {
  const view = useView();
  const [api, setApiKey] = useApi(settings);
  const name = view.name === '' ? (settings.status ? 'status' : 'explore') : view.name;
  const main = useFocus(name, view.subject);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        Skip to the content
      </a>
      <Header settings={settings} name={name} subject={view.subject} />
      <main id="main" ref={main} tabIndex={-1}>
        <SetApiKey value={setApiKey}>
          <Shown name={name} view={view} api={api} settings={settings} />
        </SetApiKey>
      </main>
      <Footer settings={settings} />
    </>
  );
}

/** The API with the key of this tab, and the function that sets the key. */
function useApi(settings: Settings): [Api, (key: string) => void] {
  const [apiKey, setApiKey] = useApiKey();
  const api = useMemo(
    () =>
      new Api({
        url: apiUrlOf(settings, location),
        healthUrl: new URL('./health', location.href).href,
        actionsPath: settings.actionsPath,
        apiKey,
      }),
    [settings, apiKey],
  );
  return [api, setApiKey];
}

/** Sets the title of the view, and the focus to its element when it changes. */
function useFocus(name: string, subject: string): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = subject === '' ? 'Antelope History' : `${shorten(subject, TITLE_LENGTH)} · Antelope History`;
    // Readers of the screen continue at the new view; the first one is where they are.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [name, subject]);
  return main;
}

interface HeaderProps {
  settings: Settings;
  /** Of the view. */
  name: string;
  subject: string;
}

function Header({ settings, name, subject }: HeaderProps): JSX.Element {
  const isStatus = name === 'status';
  // The views of an account, a block and so on are pages below the one that the link opens.
  const chainView = name === 'explore' ? 'page' : 'true';
  return (
    <header>
      <a class="brand" href={linkTo('')}>
        <img src={ICON} alt="" width="28" height="28" />
        Antelope History
      </a>
      {settings.chain !== undefined && <ChainName settings={settings} name={settings.chain} />}
      {settings.status && settings.explorer && (
        <nav aria-label="Views">
          <a href={linkTo('status')} aria-current={isStatus ? 'page' : undefined}>
            Service
          </a>
          <a href={linkTo('explore')} aria-current={isStatus ? undefined : chainView}>
            Chain
          </a>
        </nav>
      )}
      {settings.explorer && <SearchBox text={isStatus ? '' : subject} />}
    </header>
  );
}

function Footer({ settings: { links, version } }: { settings: Settings }): JSX.Element {
  return (
    <footer>
      <nav aria-label="Service">
        {links
          .filter((link) => LINK_NAMES[link] !== undefined)
          .map((link) => (
            <a key={link} href={`.${link}`}>
              {LINK_NAMES[link]}
            </a>
          ))}
      </nav>
      <p>Version {version}</p>
    </footer>
  );
}

interface ShownProps {
  name: string;
  view: View;
  api: Api;
  settings: Settings;
}

function Shown({ name, view: { subject, parameters }, api, settings }: ShownProps): JSX.Element {
  if (name === 'status' && settings.status) return <StatusView />;
  if (settings.explorer) {
    switch (name) {
      case 'explore':
        return <ExplorerHome api={api} />;
      case 'search':
        return <SearchView key={subject} api={api} text={subject} />;
      case 'account':
        return <AccountView key={subject} api={api} account={subject} parameters={parameters} />;
      case 'key':
        return <KeyView key={subject} api={api} publicKey={subject} />;
      case 'transaction':
        return <TransactionView key={subject} api={api} id={subject} />;
      case 'block':
        return <BlockView key={subject} api={api} numOrId={subject} />;
    }
  }
  return (
    <>
      <h1>No such view</h1>
      <p>
        This address names no view of this page. <a href={linkTo('')}>Back to the start</a>
      </p>
    </>
  );
}

function useView(): View {
  const [view, setView] = useState(() => parseView(location.hash));
  useEffect(() => {
    const change = (): void => {
      setView(parseView(location.hash));
      scrollTo(0, 0);
    };
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return view;
}

/** The address after `#` names the view, so that it cannot name a place in it. */
function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
