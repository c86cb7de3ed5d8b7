import { inspect } from 'node:util';
import fc from 'fast-check';
import { openBroker } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { openStoreWriter } from '@antelope-history/open-store-writer';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { shownIn } from '@antelope-history/test-support/tls';
import { checkConfig } from '../../src/check-config';
import { startRepeatingServers, type RepeatingServers } from './repeating-servers';
import { anyPassword, environmentOf, USER } from './secret';

const RUNS = { numRuns: 20 };
const anyPasswords = fc.record({
  ship: anyPassword,
  elasticsearch: anyPassword,
  rabbitmq: anyPassword,
  redis: anyPassword,
});

describe('a password that a server includes in its response', () => {
  let servers: RepeatingServers;
  beforeAll(async () => (servers = await startRepeatingServers()));
  afterAll(() => servers.close());

  it('is visible in the responses of these servers', async () => {
    const password = 'p@ss word%41';
    const access = Buffer.from(`some-user:${password}`).toString('base64');
    const headers = { authorization: `Basic ${access}` };
    const response = await fetch(`http://127.0.0.1:${servers.ports.elasticsearch}`, { headers });
    expect(shownIn(await response.text(), USER, [password])).not.toEqual([]);
  });

  it('is not in the output of check-config', async () => {
    await fc.assert(
      fc.asyncProperty(anyPasswords, fc.constantFrom<string[]>([], ['--json']), async (passwords, args) => {
        const lines: string[] = [];
        const environment = environmentOf(servers.ports, passwords);
        const print = (line: string): void => void lines.push(line);
        expect(await checkConfig({ args, environment, print, now: Date.now })).toBe(1);
        const ids = lines.filter((line) => /^WRONG|"wrong"/.test(line));
        expect(ids.length).toBeGreaterThanOrEqual(4);
        expect(shownIn(lines.join('\n'), USER, Object.values(passwords))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is in no error of the adapters, and not in the log', async () => {
    await fc.assert(
      fc.asyncProperty(anyPasswords, async (passwords) => {
        const config = loadConfig(environmentOf(servers.ports, passwords));
        const lines: string[] = [];
        const log = createLogger('test', 'trace', { write: (line) => void lines.push(line) });
        const outcomes = await Promise.allSettled([
          openStoreWriter(config, log),
          openStoreReader(config.store, log),
          openBroker(config.broker, 'many processes', log),
          openKeyValue(config.keyValue, 'one process', log),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') log.fatal({ error: outcome.reason as unknown }, 'failed');
        const shown = inspect(outcomes, { depth: 20, showHidden: true }) + lines.join('\n');
        expect(shownIn(shown, USER, Object.values(passwords))).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('an invalid configuration that contains a password', () => {
  it('does not show the password in its error', () => {
    fc.assert(
      fc.property(anyPassword, (password) => {
        const encoded = encodeURIComponent(password);
        const wrong = [
          { HISTORY_STORE__ELASTICSEARCH__URLS: `https://some-user:${encoded}@host:9200` },
          { HISTORY_BROKER__RABBITMQ__URL: `amqp://some-user:${encoded}@host` },
          { HISTORY_KEY_VALUE__REDIS__URL: `redis://:${encoded}@host` },
          { HISTORY_GATEWAY__CHAIN_API_URL: `http://some-user:${encoded}@host,http://other` },
          { HISTORY_SHIP__URLS: `http://some-user:${encoded}@host` },
          { HISTORY_KEY_VALUE__REDIS__KEY_PREFIX: password },
          { HISTORY_KEY_VALUE__REDIS__PASSWORD: password, HISTORY_KEY_VALUE__REDIS__PASSWORD_FILE: '/dev/null' },
        ];
        for (const environment of wrong) {
          let refusal = '';
          try {
            loadConfig(environment);
          } catch (error) {
            refusal = inspect(error, { depth: 20, showHidden: true });
          }
          expect(refusal).toContain('CONFIG_INVALID');
          expect(shownIn(refusal, USER, [password])).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});
