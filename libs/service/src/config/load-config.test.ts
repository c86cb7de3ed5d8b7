import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import { loadConfig } from './load-config';

describe('loadConfig', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'config-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function writeConfig(content: unknown): string[] {
    const file = path.join(folder, 'config.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return ['--config', file];
  }

  function refusalOf(args: string[], environment: NodeJS.ProcessEnv = {}): string {
    try {
      loadConfig(args, environment);
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'CONFIG_INVALID') return error.message;
      throw error;
    }
    throw new Error('the configuration was accepted');
  }

  it('needs nothing: every key has a default', () => {
    const config = loadConfig([], {});
    expect(config.api).toEqual({
      requireBoundedAsc: true,
      maxAscWindowDays: 90,
      limits: { getActions: 1000 },
      rateLimitRpm: 0,
      rateLimitCostPerMinute: 0,
      bodyLimitBytes: 65536,
    });
    expect(config.gateway.port).toBe(8888);
    expect(config.chainId).toBeUndefined();
  });

  it('takes the file over the defaults and the environment over the file', () => {
    const args = writeConfig({ api: { max_asc_window_days: 30, limits: { get_actions: 50 } }, log_level: 'warn' });
    const config = loadConfig(args, {
      HISTORY_API__LIMITS__GET_ACTIONS: '70',
      HISTORY_API__REQUIRE_BOUNDED_ASC: 'false',
      HISTORY_SHIP__URLS: 'ws://a:8080, wss://b',
    });
    expect(config.api).toMatchObject({ maxAscWindowDays: 30, limits: { getActions: 70 }, requireBoundedAsc: false });
    expect(config.ship.urls).toEqual(['ws://a:8080', 'wss://b']);
    expect(config.logLevel).toBe('warn');
  });

  it.each([
    [{ api: { max_asc_window_days: 'ninety' } }, 'api.max_asc_window_days: takes an integer from 1 to 36500'],
    [{ api: { require_bounded_asc: 'no' } }, 'api.require_bounded_asc: takes true or false'],
    [{ api: { limits: { get_actions: 0 } } }, 'api.limits.get_actions: takes an integer from 1 to 10000'],
    [{ api: 5 }, 'api: takes an object with keys of its own'],
    [{ api: { bounded: true } }, 'api.bounded: no such key'],
    [{ store: { kind: 'tape' } }, 'store.kind: takes one of lmdb'],
    [{ ship: { urls: ['ws://a', 'http://b'] } }, 'ship.urls: takes a list, each a ws:// or wss:// URL'],
    [{ gateway: { trusted_proxies: ['10.0.0.0/8', 'x'] } }, 'gateway.trusted_proxies: takes a list'],
    [{ chain_id: 'abc' }, 'chain_id: takes 64 lowercase hex digits'],
  ])('refuses %j with the key and what it takes', (content, message) => {
    expect(refusalOf(writeConfig(content))).toContain(message);
  });

  it('names every wrong key at once', () => {
    expect(refusalOf(writeConfig({ log_level: 'loud', gateway: { port: 70000 } }))).toMatch(/log_level.*gateway\.port/);
  });

  it('names the variable that set a wrong value, and never the value', () => {
    const refusal = refusalOf([], { HISTORY_SHIP__URLS: 'amqp://user:secret@host' });
    expect(refusal).toContain('ship.urls (HISTORY_SHIP__URLS): takes');
    expect(refusal).not.toContain('secret');
  });

  it('takes one URL of an API or several of equal ones', () => {
    const urlsOf = (url: string) =>
      loadConfig(writeConfig({ gateway: { chain_api_url: url } }), {}).gateway.chainApiUrl;
    expect(loadConfig([], {}).gateway.chainApiUrl).toEqual(['http://127.0.0.1:8892']);
    expect(urlsOf('http://a')).toEqual(['http://a']);
    expect(urlsOf('http://a:1, https://b/')).toEqual(['http://a:1', 'https://b/']);
    for (const wrong of ['', 'http://a,', 'http://a, ftp://b', 'http://a http://b']) {
      expect(refusalOf(writeConfig({ gateway: { chain_api_url: wrong } }))).toContain(
        'gateway.chain_api_url: takes an http',
      );
    }
  });

  it('refuses a variable that names no key, but leaves the variables of others alone', () => {
    expect(refusalOf([], { HISTORY_API__REQUIRE_BOUNDED: 'false' })).toContain('HISTORY_API__REQUIRE_BOUNDED');
    expect(loadConfig([], { HISTORY_API_SERVICE_HOST: '10.0.0.1' }).api.requireBoundedAsc).toBe(true);
  });

  it('refuses files that are away, not JSON or not an object, and unknown arguments', () => {
    expect(refusalOf(['--config', path.join(folder, 'away.json')])).toContain('can not be read');
    expect(refusalOf(writeConfig('{bad'))).toContain('is not JSON');
    expect(refusalOf(writeConfig([]))).toContain('must hold a JSON object');
    expect(refusalOf(['--cfg'])).toContain('--config PATH');
  });

  describe('passwords', () => {
    const SECRET = 'p@ss:w0rd/%41+"\\ ü';
    const SECTIONS = [
      ['store.elasticsearch', { store: { elasticsearch: {} } }, 'HISTORY_STORE__ELASTICSEARCH__PASSWORD'],
      ['broker.rabbitmq', { broker: { rabbitmq: {} } }, 'HISTORY_BROKER__RABBITMQ__PASSWORD'],
      ['key_value.redis', { key_value: { redis: {} } }, 'HISTORY_KEY_VALUE__REDIS__PASSWORD'],
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

    it.each(SECTIONS)('of %s come from the environment or a file, as they are', (_section, _settings, variable) => {
      expect(passwordsOf(loadConfig([], { [variable]: SECRET })).filter(Boolean)).toEqual([SECRET]);
      const fromFile = loadConfig([], { [`${variable}_FILE`]: file(`${SECRET}\n`) });
      expect(passwordsOf(fromFile).filter(Boolean)).toEqual([SECRET]);
    });

    it.each(SECTIONS)('of %s are given once, from a file that is there', (section, _settings, variable) => {
      const both = { [variable]: SECRET, [`${variable}_FILE`]: file('other') };
      expect(refusalOf([], both)).toBe(`${section}: takes password or password_file, not both`);
      expect(refusalOf([], { [`${variable}_FILE`]: file('\n') })).toContain(`${section}.password_file: `);
      expect(refusalOf([], { [`${variable}_FILE`]: '/nowhere/secret' })).toContain('can not be read');
    });

    it('stand in no URL but that of a node, and in no message', () => {
      const encoded = encodeURIComponent(SECRET);
      const nodes = loadConfig([], { HISTORY_SHIP__URLS: `wss://user:${encoded}@node` });
      expect(nodes.ship.urls).toEqual([`wss://user:${encoded}@node`]);
      for (const [variable, url] of [
        ['HISTORY_STORE__ELASTICSEARCH__URLS', `https://elastic:${encoded}@es:9200`],
        ['HISTORY_BROKER__RABBITMQ__URL', `amqps://user:${encoded}@mq`],
        ['HISTORY_KEY_VALUE__REDIS__URL', `rediss://:${encoded}@kv`],
        ['HISTORY_GATEWAY__HISTORY_API_URL', `http://user:${encoded}@api`],
      ] as const) {
        const refusal = refusalOf([], { [variable]: url });
        expect(refusal).toContain('URL without user and password');
        expect(refusal).not.toContain(encoded);
      }
      expect(refusalOf(writeConfig(`{"key_value": {"redis": {"password": "${encoded}", }}`))).not.toContain(encoded);
    });
  });

  it('refuses a ca_file that is away or no certificate', () => {
    for (const [section, variable] of [
      ['ship', 'HISTORY_SHIP__CA_FILE'],
      ['store.elasticsearch', 'HISTORY_STORE__ELASTICSEARCH__CA_FILE'],
      ['broker.rabbitmq', 'HISTORY_BROKER__RABBITMQ__CA_FILE'],
      ['key_value.redis', 'HISTORY_KEY_VALUE__REDIS__CA_FILE'],
    ] as const) {
      expect(refusalOf([], { [variable]: '/nowhere/ca.pem' })).toBe(
        `${section}.ca_file: /nowhere/ca.pem can not be read`,
      );
      const text = path.join(folder, 'ca.pem');
      writeFileSync(text, 'no certificate');
      expect(refusalOf([], { [variable]: text })).toBe(`${section}.ca_file: ${text} holds no certificate in PEM`);
    }
  });
});
