import { firstLine, startProgram, stop } from '@antelope-history/service-process';

/** Nothing listens on the discard port; the apps wait for these servers. */
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

/** The first log line of an app whose files of these sections cannot be read. */
async function firstLogLine(app: string, unreadable: Section[]): Promise<{ msg: string; code?: string }> {
  const files = unreadable.map((section) => [FILES[section][1], UNREADABLE] as const);
  const child = startProgram(`apps/${app}/dist/main.js`, [], { ...SERVERS, ...Object.fromEntries(files) });
  try {
    return JSON.parse(await firstLine(child)) as { msg: string; code?: string };
  } finally {
    await stop(child);
  }
}

describe.each(Object.entries(USES))('the password and CA files that %s opens', (app, used) => {
  const unused = (Object.keys(FILES) as Section[]).filter((section) => !used.includes(section));

  it('do not include those of servers that it does not use', async () => {
    const line = await firstLogLine(app, unused);
    expect(line.code).not.toBe('CONFIG_INVALID');
    expect(line.msg).not.toContain(UNREADABLE);
  });

  it('include those of a server that it uses, with a message that names the key', async () => {
    const [section = 'key_value'] = used;
    expect(await firstLogLine(app, [section])).toMatchObject({
      code: 'CONFIG_INVALID',
      msg: `${FILES[section][0]}: ${UNREADABLE} cannot be read`,
    });
  });
});
