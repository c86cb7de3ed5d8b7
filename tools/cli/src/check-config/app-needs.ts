import { type Config, SERVER_SECTIONS, type ServerSection } from '@antelope-history/app-runtime';

/** The servers that an app connects to, and the addresses that it listens on. */
export interface AppNeeds {
  ship: boolean;
  store: 'none' | 'read' | 'write';
  broker: boolean;
  keyValue: boolean;
  /** Whether it forwards requests to the APIs that the section `gateway` names. */
  apis: boolean;
  /** The sections of the configuration with its listen addresses. */
  listens: Listening[];
}

export type Listening = 'gateway' | 'history_api' | 'chain_api' | 'trace_api' | `ops.${OpsSection}`;
type OpsSection = 'gateway' | 'history_api' | 'chain_api' | 'trace_api' | 'reader' | 'deserializer' | 'indexer';

const NOTHING: AppNeeds = { ship: false, store: 'none', broker: false, keyValue: false, apis: false, listens: [] };

/** Every app, by its folder in `apps/`. */
const APP_NEEDS = {
  reader: { ...NOTHING, ship: true, broker: true, keyValue: true, listens: ['ops.reader'] },
  deserializer: { ...NOTHING, broker: true, keyValue: true, listens: ['ops.deserializer'] },
  indexer: { ...NOTHING, store: 'write', broker: true, keyValue: true, listens: ['ops.indexer'] },
  'history-api': { ...NOTHING, store: 'read', keyValue: true, listens: ['history_api', 'ops.history_api'] },
  'chain-api': { ...NOTHING, store: 'read', keyValue: true, listens: ['chain_api', 'ops.chain_api'] },
  'trace-api': { ...NOTHING, store: 'read', keyValue: true, listens: ['trace_api', 'ops.trace_api'] },
  gateway: { ...NOTHING, keyValue: true, apis: true, listens: ['gateway', 'ops.gateway'] },
  standalone: {
    ...NOTHING,
    ship: true,
    store: 'write',
    broker: true,
    keyValue: true,
    listens: ['gateway', 'ops.gateway'],
  },
} satisfies Record<string, AppNeeds>;

export type AppName = keyof typeof APP_NEEDS;

export const APP_NAMES = Object.keys(APP_NEEDS) as AppName[];

/**
 * The apps to check; `all` means those that the configuration can run. The memory broker works within one process only, which is
 * the standalone app; with RabbitMQ every app runs as a process of its own.
 */
export function appsFor(app: AppName | 'all', config: Pick<Config, 'broker'>): AppName[] {
  if (app !== 'all') return [app];
  return config.broker.kind === 'memory' ? ['standalone'] : APP_NAMES.filter((name) => name !== 'standalone');
}

/** The union of the needs of several apps. */
export function needsOf(apps: AppName[]): AppNeeds {
  const needs: AppNeeds[] = apps.map((app) => APP_NEEDS[app]);
  const stores = needs.map(({ store }) => store);
  return {
    ship: needs.some(({ ship }) => ship),
    store: stores.includes('write') ? 'write' : stores.includes('read') ? 'read' : 'none',
    broker: needs.some(({ broker }) => broker),
    keyValue: needs.some(({ keyValue }) => keyValue),
    apis: needs.some(({ apis }) => apis),
    listens: needs.flatMap(({ listens }) => listens),
  };
}

/** The server sections of the configuration that an app uses, or all of them: secrets of the others are not read. */
export function sectionsOf(app: AppName | 'all'): ServerSection[] {
  if (app === 'all') return [...SERVER_SECTIONS];
  const { store, ...needs }: AppNeeds = APP_NEEDS[app];
  return SERVER_SECTIONS.filter((section) => (section === 'store' ? store !== 'none' : needs[section]));
}
