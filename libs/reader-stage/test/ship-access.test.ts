import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { openSample } from '@antelope-history/test-support/recordings';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { makeCertificates, startTlsFront, type Certificates, type TlsFront } from '@antelope-history/test-support/tls';
import { startReader } from '../src';

interface LogLine {
  level: number;
  msg: string;
  code?: string;
}

const SECRET = 'p@ss:w0rd/%41"ü';
const access = (password: string): string => `reader:${encodeURIComponent(password)}@`;

describe('a reader of a node behind TLS and a password', () => {
  let node: ShipReplay;
  let certificates: Certificates;
  let front: TlsFront;
  beforeAll(async () => {
    certificates = await makeCertificates();
    node = await createShipReplay({ recording: openSample('leap-edge') });
    front = await startTlsFront(node.port, certificates.valid, `reader:${SECRET}`);
  });
  afterAll(async () => {
    await front.close();
    await node.close();
    certificates.remove();
  });

  const urlWith = (password: string): string => `wss://${access(password)}127.0.0.1:${front.port}`;

  /** Reads until a block arrives, or until the only node is refused for the third time; returns the log, too. */
  async function read(urls: string[], caFile: string | undefined) {
    const environment = { HISTORY_SHIP__URLS: urls.join(','), HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.01' };
    const config = loadConfig(caFile === undefined ? environment : { ...environment, HISTORY_SHIP__CA_FILE: caFile });
    const log: string[] = [];
    const refusals: LogLine[] = [];
    const broker = new MemoryBroker();
    const keyValue = new MemoryKeyValue();
    await writeProgress(keyValue, { chainId: undefined, committed: undefined, positions: [], sequence: 0 });
    const outcome = new Promise<'a block' | LogLine>((resolve, reject) => {
      const write = (line: string): void => {
        log.push(line);
        const entry = JSON.parse(line) as LogLine;
        if (entry.msg.startsWith('the node is refused: ')) refusals.push(entry);
        if (urls.length === 1 && refusals.length === 3) resolve(entry);
      };
      broker.consume(TOPOLOGY.rawBlocks, () => resolve('a block')).catch(reject);
      startReader({
        config,
        broker,
        keyValue,
        log: createLogger('test', 'trace', { write }),
        registry: new Registry(),
        fail: reject,
      }).then((reader) => outcome.then(() => reader.stop()), reject);
    });
    const end = await outcome;
    await broker.close();
    const shown = log.join('');
    expect(shown).not.toContain(encodeURIComponent(SECRET));
    expect(shown).not.toContain(JSON.stringify(SECRET).slice(1, -1));
    return { end, log };
  }

  it('reads with the authority of ship.ca_file and the password of the URL', async () => {
    expect((await read([urlWith(SECRET)], certificates.ca)).end).toBe('a block');
  });

  it('refuses it with another password or without the authority, and tries again', async () => {
    const refused = (await read([urlWith('other')], certificates.ca)).end;
    expect(refused).toMatchObject({ code: 'ACCESS_REFUSED', level: 40 });
    const untrusted = (await read([urlWith(SECRET)], undefined)).end;
    expect(untrusted).toMatchObject({ code: 'CERTIFICATE_REFUSED', level: 40 });
    expect((untrusted as LogLine).msg).toContain('ship.ca_file');
  });

  it('continues with the next node and logs the reason', async () => {
    const { end, log } = await read([urlWith('other'), urlWith(SECRET)], certificates.ca);
    expect(end).toBe('a block');
    expect(log.join('')).toContain('refuses the user or the password');
  });
});
