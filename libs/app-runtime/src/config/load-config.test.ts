import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import { loadConfig } from './load-config';
import { SERVER_SECTIONS, type ServerSection } from './server-sections';

const SERVERS = {
  HISTORY_STORE__KIND: 'elasticsearch',
  HISTORY_BROKER__KIND: 'rabbitmq',
  HISTORY_KEY_VALUE__KIND: 'redis',
};

describe('loadConfig', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'config-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function writeConfig(content: unknown): string {
    const file = path.join(folder, 'config.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  function refusalOf(file?: string, environment: NodeJS.ProcessEnv = {}, uses?: readonly ServerSection[]): string {
    try {
      loadConfig(environment, { file, ...(uses && { uses }) });
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'CONFIG_INVALID') return error.message;
      throw error;
    }
    throw new Error('the configuration was accepted');
  }

  it('has a default for every key', () => {
    const config = loadConfig({});
    expect(config.api).toEqual({
      unknownFields: 'guard',
      requireBoundedAsc: true,
      maxAscWindowDays: 90,
      positions: 'rows',
      limits: { getActions: 1000 },
      maxStreams: 1000,
      rateLimitRpm: 0,
      rateLimitCostPerMinute: 0,
      bodyLimitBytes: 65536,
    });
    expect(config.gateway.port).toBe(8888);
    expect(config.chainId).toBeUndefined();
  });

  it.each(['', '~', '~/data', '~alice/data'])('refuses the path %j, which no shell reads', (text) => {
    const keys = ['store.lmdb.path', 'store.elasticsearch.password_file', 'gateway.access_log_file'];
    for (const key of keys) {
      const variable = `HISTORY_${key.replaceAll('.', '__').toUpperCase()}`;
      const refusal = `${key} (${variable}): takes a path that does not begin with \`~\``;
      expect(refusalOf(undefined, { [variable]: text })).toBe(refusal);
    }
    expect(loadConfig({ HISTORY_STORE__LMDB__PATH: 'a/~/b' }).store.lmdb.path).toBe('a/~/b');
  });

  it('refuses an address to listen on in brackets, as URLs have it', () => {
    const refusal = 'gateway.host (HISTORY_GATEWAY__HOST): takes an IP address without brackets, or a host name';
    expect(refusalOf(undefined, { HISTORY_GATEWAY__HOST: '[::1]' })).toBe(refusal);
    expect(loadConfig({ HISTORY_GATEWAY__HOST: '::1' }).gateway.host).toBe('::1');
  });

  it('prefers the file to the defaults and the environment to the file', () => {
    const file = writeConfig({ api: { max_asc_window_days: 30, limits: { get_actions: 50 } }, log_level: 'warn' });
    const config = loadConfig(
      {
        HISTORY_API__LIMITS__GET_ACTIONS: '70',
        HISTORY_API__REQUIRE_BOUNDED_ASC: 'false',
        HISTORY_SHIP__URLS: 'ws://a:8080, wss://b',
      },
      { file },
    );
    expect(config.api).toMatchObject({ maxAscWindowDays: 30, limits: { getActions: 70 }, requireBoundedAsc: false });
    expect(config.ship.urls).toEqual(['ws://a:8080', 'wss://b']);
    expect(config.logLevel).toBe('warn');
  });

  it.each([
    [{ api: { max_asc_window_days: 'ninety' } }, 'api.max_asc_window_days: takes an integer from 1 to 36500'],
    [{ api: { require_bounded_asc: 'no' } }, 'api.require_bounded_asc: takes true or false'],
    [{ api: { limits: { get_actions: 0 } } }, 'api.limits.get_actions: takes an integer from 1 to 10000'],
    ...['/v1', '/v1/history', '/docs', '/health/x'].map((prefix): [unknown, string] => [
      { api: { nodeos_path_prefix: prefix } },
      'api.nodeos_path_prefix: takes a path such as /nodeos that does not begin with /docs, ',
    ]),
    [{ api: 5 }, 'api: takes an object with keys of its own'],
    [{ api: { bounded: true } }, 'api.bounded: no such key'],
    [{ store: { kind: 'tape' } }, 'store.kind: takes one of lmdb'],
    [{ ship: { urls: ['ws://a', 'http://b'] } }, 'ship.urls: takes a list, each a ws:// or wss:// URL'],
    [{ gateway: { trusted_proxies: ['10.0.0.0/8', 'x'] } }, 'gateway.trusted_proxies: takes a list'],
    [{ chain_id: 'abc' }, 'chain_id: takes 64 lowercase hex digits'],
  ])('rejects %j with the key and the values that it accepts', (content, message) => {
    expect(refusalOf(writeConfig(content))).toContain(message);
  });

  it('names every wrong key in one message', () => {
    expect(refusalOf(writeConfig({ log_level: 'loud', gateway: { port: 70000 } }))).toMatch(/log_level.*gateway\.port/);
  });

  it('names the variable of a wrong value, and never the value', () => {
    const refusal = refusalOf(undefined, { HISTORY_SHIP__URLS: 'amqp://user:secret@host' });
    expect(refusal).toContain('ship.urls (HISTORY_SHIP__URLS): takes');
    expect(refusal).not.toContain('secret');
  });

  it('accepts one URL of an API or several', () => {
    const urlsOf = (url: string) =>
      loadConfig({}, { file: writeConfig({ gateway: { chain_api_url: url } }) }).gateway.chainApiUrl;
    expect(loadConfig({}).gateway.chainApiUrl).toEqual(['http://127.0.0.1:8892']);
    expect(urlsOf('http://a')).toEqual(['http://a']);
    expect(urlsOf('http://a:1, https://b/')).toEqual(['http://a:1', 'https://b/']);
    for (const wrong of ['', 'http://a,', 'http://a, ftp://b', 'http://a http://b']) {
      expect(refusalOf(writeConfig({ gateway: { chain_api_url: wrong } }))).toContain(
        'gateway.chain_api_url: takes an http',
      );
    }
  });

  it('rejects a HISTORY_ variable with a double underscore that names no key, and ignores other variables', () => {
    expect(refusalOf(undefined, { HISTORY_API__REQUIRE_BOUNDED: 'false' })).toBe(
      'HISTORY_API__REQUIRE_BOUNDED names no key of the configuration; did you mean HISTORY_API__REQUIRE_BOUNDED_ASC?',
    );
    expect(loadConfig({ HISTORY_API_SERVICE_HOST: '10.0.0.1' }).api.requireBoundedAsc).toBe(true);
  });

  it('rejects files that do not exist or hold no object, and unknown arguments', () => {
    const away = path.join(folder, 'away.json');
    expect(refusalOf(away)).toBe(`--config: ${away} cannot be read: there is no such file`);
    expect(refusalOf(folder)).toBe(`--config: ${folder} cannot be read: it is a directory`);
    const file = writeConfig([]);
    expect(refusalOf(file)).toBe(`${file} must contain a JSON object`);
  });

  it.each([
    ['{bad', 'invalid symbol at line 1, column 2'],
    ['{"gateway": {"port": 1}', 'close brace expected at line 1, column 24'],
    ['{\n  "log_level": "info"\n  "chain_id": 1\n}', 'comma expected at line 3, column 3'],
    ['{\n  "log_level": "info",\n}', 'property name expected at line 3, column 1'],
    ['{ // which level\n}', 'invalid comment token at line 1, column 3'],
    ['', 'value expected at line 1, column 1'],
  ])('names the place where %j is not JSON', (text, place) => {
    const file = writeConfig(text);
    expect(refusalOf(file)).toBe(`${file} is not JSON: ${place}`);
  });

  it('names 20 mistakes and counts the others', () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => [`wrong_${index}`, 1]);
    const refusal = refusalOf(writeConfig(Object.fromEntries(keys)));
    expect(refusal.split('; ')).toHaveLength(21);
    expect(refusal).toMatch(/wrong_19: no such key; and 4980 more$/);
  });

  it('never shows the text of a file that is not JSON', () => {
    expect(refusalOf(writeConfig('{"store": {"elasticsearch": {"password": secret}}}'))).not.toContain('secret');
  });

  it('reads a file that begins with a byte order mark', () => {
    expect(loadConfig({}, { file: writeConfig('\uFEFF{"log_level": "warn"}') }).logLevel).toBe('warn');
  });

  it.each([
    [{ gatway: { port: 1 } }, 'gatway: no such key; did you mean gateway?'],
    [{ ship: { url: ['ws://a'] } }, 'ship.url: no such key; did you mean ship.urls?'],
    [{ ship: { maxMessageBytes: 1 } }, 'ship.maxMessageBytes: no such key; did you mean ship.max_message_bytes?'],
    [{ ship: { chain_id: 'a' } }, 'ship.chain_id: no such key; did you mean chain_id?'],
  ])('names the file and the key that %j means', (content, advice) => {
    const file = writeConfig(content);
    expect(refusalOf(file)).toBe(`${file}: ${advice}`);
  });

  it('gives no advice on a name that is like no key', () => {
    expect(refusalOf(writeConfig({ telemetry: true }))).toMatch(/telemetry: no such key$/);
  });

  describe('passwords', () => {
    const SECRET = 'p@ss:w0rd/%41+"\\ ü';
    const SECTIONS = [
      ['store.elasticsearch', 'HISTORY_STORE__ELASTICSEARCH__PASSWORD'],
      ['broker.rabbitmq', 'HISTORY_BROKER__RABBITMQ__PASSWORD'],
      ['key_value.redis', 'HISTORY_KEY_VALUE__REDIS__PASSWORD'],
    ] as const;
    const passwordsOf = ({ store, broker, keyValue }: ReturnType<typeof loadConfig>) => [
      store.elasticsearch.password,
      broker.rabbitmq.password,
      keyValue.redis.password,
    ];
    const file = (content: string): string => {
      const name = path.join(folder, 'secret');
      writeFileSync(name, content);
      return name;
    };

    it.each(SECTIONS)('of %s are read unchanged from the environment or a file', (_section, variable) => {
      expect(passwordsOf(loadConfig({ ...SERVERS, [variable]: SECRET })).filter(Boolean)).toEqual([SECRET]);
      const fromFile = loadConfig({ ...SERVERS, [`${variable}_FILE`]: file(`${SECRET}\n`) });
      expect(passwordsOf(fromFile).filter(Boolean)).toEqual([SECRET]);
    });

    it.each(SECTIONS)('of %s must be given once, and the file must exist and not be empty', (section, variable) => {
      const both = { [variable]: SECRET, [`${variable}_FILE`]: file('other') };
      expect(refusalOf(undefined, both)).toBe(`${section}: takes password or password_file, not both`);
      expect(refusalOf(undefined, { ...SERVERS, [`${variable}_FILE`]: file('\n') })).toContain(
        `${section}.password_file: `,
      );
      expect(refusalOf(undefined, { ...SERVERS, [`${variable}_FILE`]: '/nowhere/secret' })).toContain('cannot be read');
    });

    it('are accepted in URLs of nodes only, and appear in no message', () => {
      const encoded = encodeURIComponent(SECRET);
      const nodes = loadConfig({ HISTORY_SHIP__URLS: `wss://user:${encoded}@node` });
      expect(nodes.ship.urls).toEqual([`wss://user:${encoded}@node`]);
      for (const [variable, url] of [
        ['HISTORY_STORE__ELASTICSEARCH__URLS', `https://elastic:${encoded}@es:9200`],
        ['HISTORY_BROKER__RABBITMQ__URL', `amqps://user:${encoded}@mq`],
        ['HISTORY_KEY_VALUE__REDIS__URL', `rediss://:${encoded}@kv`],
        ['HISTORY_GATEWAY__HISTORY_API_URL', `http://user:${encoded}@api`],
      ] as const) {
        const refusal = refusalOf(undefined, { [variable]: url });
        expect(refusal).toContain('URL without user and password');
        expect(refusal).not.toContain(encoded);
      }
      expect(refusalOf(writeConfig(`{"key_value": {"redis": {"password": "${encoded}", }}`))).not.toContain(encoded);
    });
  });

  it('rejects a ca_file that does not exist or holds no certificate', () => {
    for (const [section, variable] of [
      ['ship', 'HISTORY_SHIP__CA_FILE'],
      ['store.elasticsearch', 'HISTORY_STORE__ELASTICSEARCH__CA_FILE'],
      ['broker.rabbitmq', 'HISTORY_BROKER__RABBITMQ__CA_FILE'],
      ['key_value.redis', 'HISTORY_KEY_VALUE__REDIS__CA_FILE'],
    ] as const) {
      expect(refusalOf(undefined, { ...SERVERS, [variable]: '/nowhere/ca.pem' })).toBe(
        `${section}.ca_file: /nowhere/ca.pem cannot be read`,
      );
      const text = path.join(folder, 'ca.pem');
      writeFileSync(text, 'no certificate');
      expect(refusalOf(undefined, { ...SERVERS, [variable]: text })).toBe(
        `${section}.ca_file: ${text} holds no certificate in PEM`,
      );
    }
  });

  describe('of a program that uses some servers only', () => {
    const NOWHERE = '/nowhere/file';
    const FILES = [
      ['ship', 'ship.ca_file', 'HISTORY_SHIP__CA_FILE'],
      ['store', 'store.elasticsearch.ca_file', 'HISTORY_STORE__ELASTICSEARCH__CA_FILE'],
      ['store', 'store.elasticsearch.password_file', 'HISTORY_STORE__ELASTICSEARCH__PASSWORD_FILE'],
      ['broker', 'broker.rabbitmq.ca_file', 'HISTORY_BROKER__RABBITMQ__CA_FILE'],
      ['broker', 'broker.rabbitmq.password_file', 'HISTORY_BROKER__RABBITMQ__PASSWORD_FILE'],
      ['keyValue', 'key_value.redis.ca_file', 'HISTORY_KEY_VALUE__REDIS__CA_FILE'],
      ['keyValue', 'key_value.redis.password_file', 'HISTORY_KEY_VALUE__REDIS__PASSWORD_FILE'],
    ] as const;

    it.each(FILES)('%s: opens %s only when the section is used', (section, key, variable) => {
      const environment = { ...SERVERS, [variable]: NOWHERE };
      const others = SERVER_SECTIONS.filter((other) => other !== section);
      expect(() => loadConfig(environment, { uses: others })).not.toThrow();
      expect(refusalOf(undefined, environment, [section])).toBe(`${key}: ${NOWHERE} cannot be read`);
    });

    it.each(FILES.slice(1))('%s: opens %s only when kind names that server', (section, _key, variable) => {
      expect(() => loadConfig({ [variable]: NOWHERE }, { uses: [section] })).not.toThrow();
    });

    it('validates the other sections all the same', () => {
      expect(refusalOf(writeConfig({ store: { kind: 'tape' } }), {}, ['keyValue'])).toContain('store.kind');
      const both = { HISTORY_BROKER__RABBITMQ__PASSWORD: 'x', HISTORY_BROKER__RABBITMQ__PASSWORD_FILE: NOWHERE };
      expect(refusalOf(undefined, both, ['keyValue'])).toContain('not both');
    });

    it('has no other sections in its type', () => {
      const config = loadConfig({}, { uses: ['keyValue'] });
      expect([config.keyValue.kind, config.gateway.port]).toEqual(['memory', 8888]);
      // @ts-expect-error: the program did not declare that it uses the store.
      expect(config.store).toBeDefined();
    });
  });

  describe('with keys by their former names', () => {
    let warnings: string[];
    const load = (content: object, environment: NodeJS.ProcessEnv = {}) => {
      warnings = [];
      const warn = (message: string): void => void warnings.push(message);
      return loadConfig(environment, { file: writeConfig(content), warn }).store.lmdb;
    };

    it('reads them from the file and from the environment, with one warning', () => {
      expect(load({ store: { path: '/a', map_size_bytes: 5 } })).toEqual({
        path: '/a',
        mapSizeBytes: 5,
        retainBlocks: 0,
      });
      expect(warnings).toEqual([
        'configuration keys were renamed, and the former names are still read: ' +
          'store.path (HISTORY_STORE__PATH) is now store.lmdb.path (HISTORY_STORE__LMDB__PATH); ' +
          'store.map_size_bytes (HISTORY_STORE__MAP_SIZE_BYTES) is now store.lmdb.map_size_bytes ' +
          '(HISTORY_STORE__LMDB__MAP_SIZE_BYTES)',
      ]);
      expect(load({}, { HISTORY_STORE__PATH: '/b', HISTORY_STORE__MAP_SIZE_BYTES: '6' })).toEqual({
        path: '/b',
        mapSizeBytes: 6,
        retainBlocks: 0,
      });
      expect(warnings).toHaveLength(1);
      expect(load({ store: { lmdb: { path: '/c' } } }, { HISTORY_STORE__LMDB__MAP_SIZE_BYTES: '7' })).toEqual({
        path: '/c',
        mapSizeBytes: 7,
        retainBlocks: 0,
      });
      expect(warnings).toEqual([]);
    });

    it('accepts both names with equal values, and rejects them with different values', () => {
      expect(load({ store: { path: '/a', lmdb: { path: '/a' } } }).path).toBe('/a');
      expect(warnings).toHaveLength(1);
      const different =
        'store.path (HISTORY_STORE__PATH) and store.lmdb.path (HISTORY_STORE__LMDB__PATH) have different';
      expect(refusalOf(writeConfig({ store: { path: '/a', lmdb: { path: '/b' } } }))).toContain(different);
      const environment = { HISTORY_STORE__PATH: '/a', HISTORY_STORE__LMDB__PATH: '/b' };
      expect(refusalOf(writeConfig({}), environment)).toContain(different);
    });

    it('prefers the environment to the file under either name', () => {
      expect(load({ store: { path: '/file' } }, { HISTORY_STORE__LMDB__PATH: '/new' }).path).toBe('/new');
      expect(load({ store: { lmdb: { path: '/file' } } }, { HISTORY_STORE__PATH: '/former' }).path).toBe('/former');
      expect(warnings).toHaveLength(1);
    });

    it('names the source of a wrong value', () => {
      expect(refusalOf(writeConfig({ store: { map_size_bytes: 'x' } }))).toContain(
        'store.lmdb.map_size_bytes (store.map_size_bytes): takes an integer',
      );
      expect(refusalOf(writeConfig({}), { HISTORY_STORE__MAP_SIZE_BYTES: 'x' })).toContain(
        'store.lmdb.map_size_bytes (HISTORY_STORE__MAP_SIZE_BYTES): takes an integer',
      );
    });
  });

  describe('gateway.chains', () => {
    const apis = (port: number) => ({
      history_api_url: `http://127.0.0.1:${port}`,
      chain_api_url: `http://127.0.0.1:${port}/`,
      trace_api_url: `http://127.0.0.1:${port + 1}, http://127.0.0.1:${port + 2}`,
    });
    const withChains = (chains: unknown) => writeConfig({ gateway: { chains } });

    it('has chains by name', () => {
      const { gateway } = loadConfig(
        {},
        { file: withChains({ 'wax-test': { ...apis(1000), hosts: ['wax.example'] } }) },
      );
      expect(gateway.chains).toEqual({
        'wax-test': {
          hosts: ['wax.example'],
          historyApiUrl: ['http://127.0.0.1:1000'],
          chainApiUrl: ['http://127.0.0.1:1000/'],
          traceApiUrl: ['http://127.0.0.1:1001', 'http://127.0.0.1:1002'],
        },
      });
      expect(loadConfig({}).gateway.chains).toBeUndefined();
    });

    it.each<[string, unknown, RegExp]>([
      ['none', {}, /gateway\.chains: takes an object/],
      ['a name of a path', { v1: apis(1) }, /gateway\.chains\.v1: takes .*none of docs, health/],
      ['a name with capitals', { Wax: apis(1) }, /gateway\.chains\.Wax: takes .*up to 32 of a-z, 0-9 and -/],
      ['a missing address', { wax: {} }, /gateway\.chains\.wax\.history_api_url: takes an http/],
      [
        'a wrong key',
        { wax: { ...apis(1), host: 'x' } },
        /gateway\.chains\.wax\.host: no such key; did you mean .*hosts/,
      ],
      [
        'a host with a port',
        { wax: { ...apis(1), hosts: ['a:1'] } },
        /chains\.wax\.hosts: takes a list, each a host name/,
      ],
      ['one API of two', { a: apis(10), b: apis(12) }, /chains\.b\.history_api_url: the chain a has it, too/],
      [
        'one host of two',
        { a: { ...apis(10), hosts: ['x'] }, b: { ...apis(20), hosts: ['x'] } },
        /chains\.b\.hosts: the chain a has it/,
      ],
      ['one prefix of two', { a: apis(10), b: { ...apis(20), key_prefix: 'a' } }, /chains\.b\.key_prefix: the chain a/],
    ])('refuses %s', (_, chains, expected) => {
      expect(refusalOf(withChains(chains))).toMatch(expected);
    });
  });
});
