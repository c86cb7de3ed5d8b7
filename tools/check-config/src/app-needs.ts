import type { Config } from '@antelope-history/service';

/** What an app opens when it starts; `libs/open-*` open it. */
export interface AppNeeds {
  ship: boolean;
  store: 'none' | 'read' | 'write';
  broker: boolean;
  keyValue: boolean;
  /** Whether it passes requests on to the APIs that `gateway` names. */
  apis: boolean;
  /** Sections of the configuration that say where it listens. */
  listens: Listening[];
}

export type Listening = 'gateway' | 'history_api' | 'chain_api' | 'trace_api' | `ops.${OpsSection}`;
type OpsSection = 'gateway' | 'history_api' | 'chain_api' | 'trace_api' | 'reader' | 'deserializer' | 'indexer';

const NOTHING: AppNeeds = { ship: false, store: 'none', broker: false, keyValue: false, apis: false, listens: [] };

/** Every app by its name in `apps/`. */
export const APP_NEEDS = {
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
 * The apps that a check is for. All that a configuration can run: the embedded broker carries blocks within one process
 * only, which is the standalone app; with a real one every app runs on its own.
 */
export function appsFor(app: AppName | 'all', config: Pick<Config, 'broker'>): AppName[] {
  if (app !== 'all') return [app];
  return config.broker.kind === 'memory' ? ['standalone'] : APP_NAMES.filter((name) => name !== 'standalone');
}

/** What apps need together. */
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
