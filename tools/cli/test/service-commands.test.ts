import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusResponse } from '@antelope-history/schemas';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { startIndexedService } from '@antelope-history/processes';
import { runCli, runShell, startCli, startCliIn } from './run-cli';

const ACCOUNT = 'eosio';
/** A page of the service, so that an export has many. */
const PAGE_ROWS = 40;

/** Requests after which an export is interrupted: two or three pages of two requests each, of which every third fails. */
const REQUESTS_PER_RUN = 9;

interface Row {
  block_num: number;
  block_time: string;
  global_action_seq: string | number;
  action_trace: { act: { account: string; name: string; data: unknown } };
}
interface Page {
  actions: Row[];
  more: boolean;
  last_irreversible_block: number;
}

/** A gateway that is slow, and fails every third request: with 503, with 429, or by closing the connection. */
class FailingGateway {
  requests = 0;
  keys = new Set<string | undefined>();
  private server: Server | undefined;

  constructor(
    private readonly url: string,
    private readonly delayMs: number,
  ) {}

  async listen(): Promise<string> {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.keys.add(request.headers['x-api-key']?.toString());
        const turn = this.requests++;
        if (turn % 3 === 1) {
          if (turn % 9 === 1) return void request.socket.destroy();
          return void response.writeHead(turn % 9 === 4 ? 503 : 429, { 'retry-after': '0' }).end('{}');
        }
        void fetch(this.url + String(request.url), { method: 'POST', body: Buffer.concat(parts) }).then(
          async (sent) => {
            await sleep(this.delayMs);
            response.writeHead(sent.status).end(await sent.text());
          },
        );
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** A gateway whose service removes its oldest blocks after some pages. */
class ForgettingGateway {
  private pages = 0;
  private readonly server: Server;

  constructor(url: string, pagesBefore: number) {
    this.server = createServer((request, response) => {
      void (async () => {
        const path = String(request.url);
        const body = await text(request);
        const sent = await (await fetch(url + path, { method: 'POST', body })).text();
        if (path.endsWith('get_actions')) this.pages++;
        const isRemoved = path.endsWith('get_info') && this.pages > pagesBefore;
        response.end(isRemoved ? JSON.stringify({ ...JSON.parse(sent), earliest_available_block_num: 1e6 }) : sent);
      })();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('the commands for a running service', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-cli-'));
  let service: Awaited<ReturnType<typeof startIndexedService>>;
  let irreversible: number;
  let rows: Row[];

  beforeAll(async () => {
    service = await startIndexedService(sampleFolder('leap-edge'), {
      HISTORY_API__LIMITS__GET_ACTIONS: String(PAGE_ROWS),
      HISTORY_SHIP__SILENCE_SECONDS: '0',
      // The commands are for a service that counts rows as well as for one that counts as the history plugin did.
      HISTORY_API__POSITIONS: 'nodeos',
    });
    rows = [];
    for (let more = true; more;) {
      const page = await post({ account_name: ACCOUNT, sort: 'asc', after: 1, pos: rows.length, offset: 1_000 });
      rows.push(...page.actions);
      irreversible = page.last_irreversible_block;
      more = page.more;
    }
  }, 240_000);
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  async function post(body: object): Promise<Page> {
    const request = { method: 'POST', body: JSON.stringify(body) };
    return (await (await fetch(`${service.url}/v1/history/rows/get_actions`, request)).json()) as Page;
  }
  const exportTo = (...args: string[]) => runCli('export', '--account', ACCOUNT, '--url', service.url, ...args);
  const exportArgs = ['export', '--account', ACCOUNT];
  const linesOf = (lines: string): Row[] =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const final = (): Row[] => rows.filter(({ block_num: num }) => num <= irreversible);

  describe('export', () => {
    it('writes all irreversible actions of an account, oldest first', async () => {
      const { status, output } = await exportTo();
      expect(status).toBe(0);
      expect(linesOf(output)).toEqual(final());
      expect(final().length).toBeGreaterThan(10 * PAGE_ROWS);
      expect(final().length).toBeLessThan(rows.length);
    });

    it('writes csv with one line per action', async () => {
      const { output } = await exportTo('--format', 'csv', '--filter', 'eosio:newaccount,eosio:updateauth');
      const [header, ...lines] = output.trim().split('\n');
      const wanted = final().filter(({ action_trace: { act } }) => /^(newaccount|updateauth)$/.test(act.name));
      expect(header).toBe(
        'global_action_seq,account_action_seq,block_num,block_time,trx_id,contract,action,receiver,authorization,data',
      );
      expect(lines.map((line) => line.split(',')[0])).toEqual(wanted.map((row) => String(row.global_action_seq)));
      const data = lines.map(
        (line) => JSON.parse(/,"(\{.*\})"$/.exec(line)?.[1]?.replaceAll('""', '"') ?? '') as unknown,
      );
      expect(data).toEqual(wanted.map(({ action_trace: { act } }) => act.data));
      expect(wanted.length).toBeGreaterThan(3);
    });

    it.each([
      ['blocks', (row: Row) => String(row.block_num)],
      ['dates', (row: Row) => row.block_time],
    ])('writes the range between two %s', async (_what, boundOf) => {
      const [first, last] = [final()[77]!, final()[233]!];
      const { status, output } = await exportTo('--from', boundOf(first), '--to', boundOf(last));
      const inRange = ({ block_num: num }: Row) => num >= first.block_num && num <= last.block_num;
      expect([status, linesOf(output)]).toEqual([0, final().filter(inRange)]);
    });

    it.each([
      ['a space', (time: string) => time.replace('T', ' ')],
      ['a small t', (time: string) => time.replace('T', 't')],
      ['a zone of hours', (time: string) => `${time}+00`],
      ['a comma', (time: string) => time.replace('.', ',')],
    ])('takes a date with %s as UTC, in any zone of the machine', async (_what, write) => {
      const [first] = final().slice(-30);
      const args = [...exportArgs, '--url', service.url, '--from', write(first!.block_time)];
      const { status, output } = await startCliIn({ TZ: 'America/New_York' }, ...args).result;
      const inRange = ({ block_time: time }: Row) => time >= first!.block_time;
      expect([status, linesOf(output)]).toEqual([0, final().filter(inRange)]);
    });

    it.each(['ndjson', 'csv'])('writes the digits of the service as %s', async (format) => {
      const filter = ['--account', 'types', '--filter', 'types:allprims', '--format', format];
      const { output } = await runCli('export', '--url', service.url, ...filter);
      const body = JSON.stringify({ account_name: 'types', filter: 'types:allprims', sort: 'asc', after: 1 });
      const sent = await (await fetch(`${service.url}/v1/history/rows/get_actions`, { method: 'POST', body })).text();
      const digits = sent.match(/"f_int64":-?\d{17,}/g) ?? [];
      expect(digits.length).toBeGreaterThan(0);
      for (const each of digits) expect(output.replaceAll('""', '"')).toContain(each);
    });

    it('ends when the service has removed blocks that it has not read', async () => {
      const gateway = new ForgettingGateway(service.url, 3);
      const out = path.join(folder, 'removed.ndjson');
      const { status, errors } = await runCli(...exportArgs, '--url', await gateway.listen(), '--out', out);
      gateway.close();
      expect([status, errors]).toEqual([2, expect.stringContaining('has removed the blocks below 1000000')]);
    });

    it('leaves no file behind when its first request is refused', async () => {
      const out = path.join(folder, 'refused.ndjson');
      expect((await exportTo('--out', out, '--from', 'yesterday')).status).toBe(2);
      expect(existsSync(out)).toBe(false);
    });

    it('ends at the last irreversible block, whatever is asked', async () => {
      for (const to of ['999999', '2100-01-01']) {
        expect(linesOf((await exportTo('--to', to)).output)).toHaveLength(final().length);
      }
      expect((await exportTo('--from', '2100-01-01')).output).toBe('');
      expect((await exportTo('--from', String(irreversible + 1))).output).toBe('');
    });

    it('continues after any interruption as if there had been none', async () => {
      const gateway = new FailingGateway(service.url, 15);
      const url = await gateway.listen();
      const key = path.join(folder, 'key');
      writeFileSync(key, 'secret\n');
      const out = path.join(folder, 'resumed.ndjson');
      const args = ['export', '--account', ACCOUNT, '--url', url, '--out', out, '--api-key-file', key];
      let [runs, interrupted] = [0, 0];
      for (let status: number | null = null; status !== 0; runs++) {
        const { child, result } = startCli(...args);
        // Killed after a few pages, in turns by a signal that it can and one that it cannot handle.
        const before = gateway.requests;
        const watch = setInterval(() => {
          if (gateway.requests - before < REQUESTS_PER_RUN) return;
          clearInterval(watch);
          child.kill(runs % 2 === 0 ? 'SIGKILL' : 'SIGINT');
        }, 2);
        ({ status } = await result);
        clearInterval(watch);
        if (status === 1) interrupted++;
        expect(runs).toBeLessThan(40);
      }
      gateway.close();
      expect(linesOf(readFileSync(out, 'utf8'))).toEqual(final());
      expect(existsSync(`${out}.resume`)).toBe(false);
      expect(runs).toBeGreaterThan(2);
      expect(interrupted).toBeGreaterThan(0);
      expect([...gateway.keys]).toEqual(['secret']);
    }, 120_000);

    it('continues when the disk has room again', async () => {
      const out = path.join(folder, 'full.ndjson');
      const args = ['export', '--account', ACCOUNT, '--url', service.url, '--out', out];
      // A limit of 16 KiB per file, at which a write writes a part.
      const full = await runShell(`ulimit -f 16; exec "$@"`, ...args);
      expect([full.status, full.errors]).toEqual([
        2,
        expect.stringMatching(/^UNAVAILABLE: \S+ cannot be written: EFBIG/),
      ]);
      expect(statSync(out).size).toBe(16 * 1024);
      expect((await runCli(...args)).status).toBe(0);
      expect(linesOf(readFileSync(out, 'utf8'))).toEqual(final());
    });

    it('ends without a stack trace when its output ends', async () => {
      const args = ['export', '--account', ACCOUNT, '--url', service.url];
      const left = await runShell('("$@"; echo "status $?" >&2) | head -n 1', ...args);
      expect(linesOf(left.output)).toEqual(final().slice(0, 1));
      expect(left.errors).toMatch(/Interrupted after [\d,]+ actions\.\nstatus 1\n$/);
      expect(left.errors).not.toMatch(/^ +at /m);
      const full = await runShell('"$@" > /dev/full', ...args);
      const FULL = /^the output cannot be written: ENOSPC[^\n]+\nInterrupted after 0 actions\.\n$/;
      expect([full.status, full.errors]).toEqual([1, expect.stringMatching(FULL)]);
    });

    it('replaces nothing that it did not write', async () => {
      const out = path.join(folder, 'mine.csv');
      writeFileSync(out, '');
      expect((await exportTo('--out', out)).status).toBe(0);
      writeFileSync(out, 'mine');
      const refused = await exportTo('--out', out);
      expect([refused.status, refused.errors]).toEqual([2, expect.stringContaining('exists; --force replaces it')]);
      expect(readFileSync(out, 'utf8')).toBe('mine');
      expect((await exportTo('--out', out, '--force')).status).toBe(0);
      expect(linesOf(readFileSync(out, 'utf8'))).toHaveLength(final().length);
      writeFileSync(`${out}.resume`, JSON.stringify({ version: 1, request: { account: 'other' } }));
      const other = await exportTo('--out', out);
      expect([other.status, other.errors]).toEqual([2, expect.stringContaining('with other options')]);
    });

    it.each(['', '{"version":2,"requ', 'null', '[]'])(
      'says that what it continues from is damaged: %j',
      async (content) => {
        const out = path.join(folder, 'damaged.ndjson');
        writeFileSync(out, 'row\n');
        writeFileSync(`${out}.resume`, content);
        const { status, errors } = await exportTo('--out', out);
        const message = `CONFIG_INVALID: --out: ${out}.resume is damaged, so that the export cannot continue; --force begins it again\n`;
        expect([status, errors]).toEqual([2, message]);
        expect(readFileSync(out, 'utf8')).toBe('row\n');
      },
    );

    it('does not fill up a file that has become shorter', async () => {
      const out = path.join(folder, 'shorter.ndjson');
      const args = ['export', '--account', ACCOUNT, '--url', service.url, '--out', out];
      // A limit of 400 KiB per file: it ends after some pages.
      expect((await runShell(`ulimit -f 400; exec "$@"`, ...args)).status).toBe(2);
      truncateSync(out, 100);
      const { status, errors } = await runCli(...args);
      expect([status, errors]).toEqual([2, expect.stringMatching(/^CONFIG_INVALID: .* shorter .*; --force begins/)]);
      expect((await runCli(...args, '--force')).status).toBe(0);
      expect(linesOf(readFileSync(out, 'utf8'))).toEqual(final());
    });

    it.each([
      [['--account', 'NoName'], 'account_name: give an account name'],
      [['--filter', 'transfer'], 'filter: give code:name'],
      [['--from', 'yesterday'], 'give'],
      [['--out', '/nowhere/x.csv'], '/nowhere/x.csv cannot be written'],
      [['--api-key-file', '/nowhere/key'], '/nowhere/key cannot be read'],
      [['--api-key-file', __filename], 'has to hold one line of ASCII characters'],
      [['--url', '127.0.0.1:8888'], 'It must begin with http:// or https://'],
    ])('says what to change: %j', async (args, message) => {
      const { status, errors } = await exportTo(...args);
      expect([status, errors]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  it('an export that is interrupted before its first page says so', async () => {
    const { child, result } = startCli('export', '--account', ACCOUNT, '--url', 'http://127.0.0.1:9');
    await sleep(3_000);
    child.kill('SIGTERM');
    const { status, errors } = await result;
    expect([status, errors]).toEqual([1, expect.stringMatching(/Interrupted after 0 actions\.\n$/)]);
  });

  it('an export never shows the password of an address', async () => {
    const { status, errors } = await runCli('export', '--account', ACCOUNT, '--url', 'http://bob:s3cr3t@127.0.0.1:9');
    expect([status, errors]).toEqual([2, expect.stringContaining('must not contain a user and a password')]);
  });

  describe('status', () => {
    const statusOf = (...args: string[]) => runCli('status', '--url', service.operationsUrl, ...args);

    it('prints the state of the service and of each process', async () => {
      const { status, output } = await statusOf();
      expect(status).toBe(0);
      expect(output).toMatch(/^State +ok$/m);
      expect(output).toMatch(/^Committed +505, 0 behind$/m);
      expect(output).toMatch(/^standalone +ok, \d+ MiB, version 4\.1\.0/m);
    });

    it('prints what /status responds', async () => {
      const { output } = await statusOf('--json');
      expect(statusResponse.parse(JSON.parse(output)).health.committed_block_num).toBe(505);
    });

    it('exits with status 2 where no gateway responds', async () => {
      const { status, errors } = await runCli('status', '--url', 'http://127.0.0.1:9');
      expect([status, errors]).toEqual([2, expect.stringMatching(/^UNAVAILABLE: no gateway responds at/)]);
    });

    it('refuses what is no address, and one with a password, which messages would show', async () => {
      for (const url of ['', '127.0.0.1:8890', 'http://alice:open-sesame@127.0.0.1:9']) {
        const { status, errors } = await runCli('status', '--url', url);
        expect([status, errors]).toEqual([2, expect.stringMatching(/^error: option '--url <url>' .* It must/)]);
      }
    });
  });
});
