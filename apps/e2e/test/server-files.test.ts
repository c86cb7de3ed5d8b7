import { type LogEntry, startApp, stop } from '@antelope-history/processes';

/** Nothing listens on the discard port, so the apps wait for these servers. */
const SERVERS = {
  HISTORY_SHIP__URLS: 'ws://127.0.0.1:9',
  HISTORY_STORE__KIND: 'elasticsearch',
  HISTORY_STORE__ELASTICSEARCH__URLS: 'http://127.0.0.1:9',
  HISTORY_BROKER__KIND: 'rabbitmq',
  HISTORY_BROKER__RABBITMQ__URL: 'amqp://127.0.0.1:9',
  HISTORY_KEY_VALUE__KIND: 'redis',
  HISTORY_KEY_VALUE__REDIS__URL: 'redis://127.0.0.1:9',
};
const UNREADABLE = '/nowhere/secret';
/** The file of each server section that an app must not open without using the section. */
const FILES = {
  ship: ['ship.ca_file', 'HISTORY_SHIP__CA_FILE'],
  store: ['store.elasticsearch.password_file', 'HISTORY_STORE__ELASTICSEARCH__PASSWORD_FILE'],
  broker: ['broker.rabbitmq.password_file', 'HISTORY_BROKER__RABBITMQ__PASSWORD_FILE'],
  key_value: ['key_value.redis.password_file', 'HISTORY_KEY_VALUE__REDIS__PASSWORD_FILE'],
} as const;
type Section = keyof typeof FILES;

const USES: Record<string, Section[]> = {
  reader: ['ship', 'broker', 'key_value'],
  deserializer: ['broker', 'key_value'],
  indexer: ['store', 'broker', 'key_value'],
  'history-api': ['store', 'key_value'],
  'chain-api': ['store', 'key_value'],
  'trace-api': ['store', 'key_value'],
  gateway: ['key_value'],
  standalone: ['ship', 'store', 'broker', 'key_value'],
};

const ALL = Object.keys(FILES) as Section[];

/** Starts an app whose files of these sections cannot be read; resolves with the first log line that `isWanted` accepts. */
async function logLine(
  app: string,
  unreadable: Section[],
  environment: Record<string, string>,
  isWanted: (entry: LogEntry) => boolean,
): Promise<LogEntry | undefined> {
  const files = unreadable.map((section) => [FILES[section][1], UNREADABLE] as const);
  let resolveEntry: (entry: LogEntry | undefined) => void = () => undefined;
  const wanted = new Promise<LogEntry | undefined>((resolve) => (resolveEntry = resolve));
  const { child } = startApp(app, {
    environment: { ...environment, ...Object.fromEntries(files) },
    onEntry(entry) {
      if (isWanted(entry)) resolveEntry(entry);
    },
  });
  child.once('close', () => resolveEntry(undefined));
  try {
    return await wanted;
  } finally {
    await stop(child);
  }
}

describe('the password and CA files', () => {
  // The files of key_value are opened last, so that its error shows that those of the unused servers were not opened.
  it.each(Object.entries(USES))(
    'of the servers that %s uses are opened, those of other servers are not',
    async (app, used) => {
      const unreadable = ALL.filter((section) => section === 'key_value' || !used.includes(section));
      expect(await logLine(app, unreadable, SERVERS, () => true)).toMatchObject({
        code: 'CONFIG_INVALID',
        msg: `${FILES.key_value[0]}: ${UNREADABLE} cannot be read`,
      });
    },
  );

  it('of unused servers do not prevent a start', async () => {
    const environment = {
      ...SERVERS,
      HISTORY_KEY_VALUE__KIND: 'memory',
      HISTORY_GATEWAY__PORT: '0',
    };
    const line = await logLine('gateway', ALL, environment, ({ level, msg }) => level >= 50 || msg === 'running');
    expect(line?.msg).toBe('running');
  });

  it.each(['store', 'broker'] as const)(
    'of the %s prevent the start of the indexer with a message that names the key',
    async (section) => {
      expect(await logLine('indexer', [section], SERVERS, () => true)).toMatchObject({
        code: 'CONFIG_INVALID',
        msg: `${FILES[section][0]}: ${UNREADABLE} cannot be read`,
      });
    },
  );
});
