import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import {
  type ServiceProcess,
  startListeningApp,
  startReplay,
  startService,
  stop,
  untilCommitted,
} from '@antelope-history/processes';
import { describeWithBrowser, findFreePorts } from '@antelope-history/servers';
import { createShipReplay } from '@antelope-history/ship-replay';
import { currentLinks, enterApiKey, heading, LOADED_MS, shows, titled, violationsIn, visit } from './page-visitor';

const LAST_BLOCK = 505;
const KEY = 'PUB_K1_67tVYqeq99KdZ6mWCFmoCBVnmLvh77bubyeDn1JGKXQn9ooyiu';

describeWithBrowser((program) => {
  let browser: Browser;
  // Root cannot use Chromium's sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program, args });
  });
  afterAll(() => browser.close());

  describe('the page of a service that has indexed a chain', () => {
    const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-page-'));
    let service: ServiceProcess;
    let hosts: string[];
    let base: string;
    let api: string;
    let replay: Awaited<ReturnType<typeof startReplay>>;

    beforeAll(async () => {
      replay = await startReplay(sampleFolder('leap-edge'));
      const [gatewayPort = 0] = await findFreePorts(1);
      service = startService(replay.url, data, {
        HISTORY_SHIP__SILENCE_SECONDS: '0',
        HISTORY_GATEWAY__PORT: String(gatewayPort),
        HISTORY_GATEWAY__PUBLIC_PATHS: 'health,docs,explorer',
      });
      [api, base] = [await service.gateway, await service.operations];
      hosts = [api, base].map((url) => new URL(url).host);
      await untilCommitted(data, LAST_BLOCK);
    }, 240_000);
    afterAll(async () => {
      await stop(service.child);
      await stop(replay.child);
      rmSync(data, { recursive: true, force: true });
    });

    /** Opens a view, runs the steps, and expects that nothing went wrong in the page. */
    async function look(hash: string, steps: (page: Page) => Promise<void>, options = {}, root = base): Promise<void> {
      const { page, problems, close } = await visit(browser, hosts, options);
      try {
        await page.goto(`${root}/${hash}`);
        await steps(page);
        expect(problems).toEqual([]);
      } finally {
        await close();
      }
    }

    async function post<T>(at: string, body: object): Promise<T> {
      const response = await fetch(`${api}/v1/${at}`, { method: 'POST', body: JSON.stringify(body) });
      return (await response.json()) as T;
    }
    const findTransfer = async (): Promise<{ trx_id: string; from: string; memo: string }> => {
      const request = { filter: 'eosio.token:transfer', offset: 1 };
      const { actions } = await post<{ actions: { action_trace: { trx_id: string; act: { data: never } } }[] }>(
        'history/get_actions',
        request,
      );
      const { trx_id, act } = actions[0]!.action_trace;
      return { trx_id, ...(act.data as { from: string; memo: string }) };
    };

    it('says how the service runs', async () => {
      await look('', async (page) => {
        await shows(page, 'Everything is running');
        expect(await currentLinks(page)).toEqual([['Service', 'page']]);
        const figureOf = (name: string) => page.locator('.figures div', { hasText: name }).locator('dd');
        const figure = (name: string) => figureOf(name).innerText();
        // A replayed chain is in order at each of its blocks, and the page shows a health that is a second old at first.
        await figureOf('Committed')
          .filter({ hasText: String(LAST_BLOCK) })
          .waitFor({ timeout: LOADED_MS });
        expect(await figure('First block there is')).toBe('1');
        expect(Number(await figure('Forks since the start'))).toBeGreaterThan(0);
        expect(await figure('Free disk of the store')).toMatch(/^\d.* [KMGT]iB$/);
        expect(await page.getByRole('row', { name: /Standalone/ }).innerText()).toMatch(/MiB[^]*4\.1\.0[^]*none/);
        expect(await page.locator('.plots canvas').count()).toBe(2);
        expect(await page.getByRole('progressbar').getAttribute('value')).toBe('100');
      });
    });

    it('leads from the chain to a transaction, its block and its account', async () => {
      await look('', async (page) => {
        await page.getByRole('link', { name: 'Chain', exact: true }).click();
        await page.getByRole('row').nth(1).locator('.id').click();
        await titled(page, ['Transaction']);
        expect(await currentLinks(page)).toEqual([['Chain', 'true']]);
        await shows(page, 'authorised by');
        await page.locator('.figures a').first().click();
        await titled(page, ['Block \\d+']);
        const num = Number((await heading(page).innerText()).replaceAll(/\D/g, ''));
        await page.getByRole('link', { name: 'Previous', exact: true }).click();
        await titled(page, [`Block ${num - 1}`]);
        await page.getByRole('main').getByRole('link', { name: 'prod.', exact: false }).first().click();
        await titled(page, ['Account prod\\.']);
      });
    });

    it('has the inline actions and notifications of a transaction as a tree', async () => {
      const { trx_id: id } = await findTransfer();
      const { traces } = await post<{ traces: { creator_action_ordinal: number }[] }>('history/get_transaction', {
        id,
      });
      expect(traces.some(({ creator_action_ordinal: creator }) => creator > 0)).toBe(true);
      await look(`#/transaction/${id}`, async (page) => {
        await shows(page, 'notifies');
        const shown = await page.locator('.trace').allInnerTexts();
        expect(shown.join()).toMatch(/eosio\.token:transfer[^]*from[^]*quantity/);
      });
    });

    it('pages through the actions of an account without gaps, and filters them', async () => {
      const { from } = await findTransfer();
      type Rows = { actions: { global_action_seq: string; action_trace: { trx_id: string } }[] };
      const { actions } = await post<Rows>('history/get_actions', { account_name: from, offset: 60 });
      const idsOf = (page: Page) =>
        page.locator('.actions .id').evaluateAll((links) => links.map((link) => link.getAttribute('title')));
      await look(`#/account/${from}`, async (page) => {
        const seen: (string | null)[] = [];
        for (;;) {
          await page.locator('.pages').waitFor({ timeout: LOADED_MS });
          seen.push(...(await idsOf(page)));
          const older = page.getByRole('link', { name: 'Older' });
          if (seen.length >= actions.length || (await older.count()) === 0) break;
          await older.click();
          await shows(page, `rows ${seen.length + 1} to`);
        }
        expect(seen.slice(0, actions.length)).toEqual(actions.map(({ action_trace: { trx_id } }) => trx_id));

        const { actions: ofGame } = await post<Rows>('history/get_actions', {
          account_name: from,
          filter: 'game:*',
          offset: 25,
        });
        expect(ofGame.length).toBeGreaterThan(0);
        expect(ofGame).not.toEqual(actions.slice(0, 25));
        await page.getByLabel('Contract and action').fill('game:*');
        await page.getByRole('button', { name: 'Show' }).click();
        // The rows of all contracts stay until the filtered ones are there.
        const shown = page.locator('.actions td:nth-child(4)');
        await shown.filter({ hasText: 'eosio.token' }).first().waitFor({ state: 'detached', timeout: LOADED_MS });
        await page.locator('.pages').waitFor({ timeout: LOADED_MS });
        expect(await idsOf(page)).toEqual(ofGame.map(({ action_trace: { trx_id } }) => trx_id));
      });
    });

    it('shows the oldest actions first, and what is wrong with a filter', async () => {
      const { from } = await findTransfer();
      await look(`#/account/${from}`, async (page) => {
        await page.locator('.pages').waitFor({ timeout: LOADED_MS });
        await page.getByLabel('Order').selectOption('asc');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByRole('link', { name: 'Newer' }).waitFor({ timeout: LOADED_MS });
        const times = await page.locator('.actions time').allInnerTexts();
        expect(times).toEqual([...times].sort());
        expect(times[0]).not.toBe(times.at(-1));
      });
      await look(`#/account/${from}?filter=nonsense`, (page) => shows(page, 'give code:name'));
    });

    it('has the accounts of a key and those that an account controls', async () => {
      const { account_names: names } = await post<{ account_names: string[] }>('history/get_key_accounts', {
        public_key: KEY,
      });
      await look(`#/key/${KEY}`, async (page) => {
        await shows(page, 'Accounts with this key');
        await page.locator('.names').waitFor();
        expect(await page.locator('.names a').allInnerTexts()).toEqual(names);
      });
      await look('#/account/alice', async (page) => {
        await page.getByText(/Controls \d+ accounts?/).click();
        expect(await page.locator('.controlled a').count()).toBeGreaterThan(0);
      });
    });

    it.each([
      ['12', 'Block 12'],
      [' 1,2 ', 'Not understood'],
      ['alice', 'Account alice'],
      [KEY, 'Public key'],
      ['nobody.here', 'Account nobody.here'],
      ['99999', 'The request was refused', 'Not found'],
      ['abcdeabcde', 'Nothing found'],
      ['<img src=x onerror=alert(1)>', 'Not understood'],
    ])('finds what is typed: %s', async (text, ...titles) => {
      await look('#/explore', async (page) => {
        await page.getByRole('searchbox').fill(text);
        await page.keyboard.press('Enter');
        await titled(page, titles);
      });
    });

    it('finds a transaction by the beginning of its id, and a block by its id', async () => {
      const { trx_id: id } = await findTransfer();
      const { id: blockId } = await post<{ id: string }>('chain/get_block', { block_num_or_id: 77 });
      await look('', async (page) => {
        for (const [text, found] of [
          [id.slice(0, 13), id],
          [blockId, 'Block 77'],
        ] as const) {
          await page.getByRole('searchbox').fill(text);
          await page.getByRole('button', { name: 'Search' }).click();
          await page.getByRole('main').getByText(found).first().waitFor({ timeout: LOADED_MS });
        }
      });
    });

    it('shows onerror in place of a failed transaction, which has no view of its own', async () => {
      await look('#/block/230', async (page) => {
        await shows(page, 'onerror');
        const linksOf = (status: string) => page.locator('.card', { hasText: status }).first().locator('.title a');
        expect([await linksOf('executed').count(), await linksOf('soft_fail').count()]).toEqual([1, 0]);
      });
    });

    it('shows the request behind a view, which a terminal can send', async () => {
      await look('#/block/12', async (page) => {
        const curl = await page.locator('.curl code').innerText();
        expect(curl).toBe(`curl -s ${api}/v1/trace_api/get_block -d '{"block_num":"12"}'`);
        await page.getByText('Response as JSON').click();
        const shown = JSON.parse(await page.locator('details pre').innerText()) as unknown;
        expect(shown).toEqual(await post('trace_api/get_block', { block_num: 12 }));
      });
    });

    it('is served to clients without the state of the service where the operator allows it', async () => {
      expect((await fetch(`${api}/status`)).status).toBe(404);
      const withView = async (page: Page): Promise<void> => {
        await shows(page, 'Newest actions');
        expect(await page.getByRole('navigation', { name: 'Views' }).count()).toBe(0);
      };
      await look('', withView, {}, api);
      await look('#/status', (page) => shows(page, 'No such view'), {}, api);
    });

    it('asks for the API key that a gateway requires, and keeps it in its tab', async () => {
      const file = path.join(data, 'keys.json');
      const sha256 = createHash('sha256').update('right-key').digest('hex');
      writeFileSync(file, JSON.stringify([{ name: 'alice', sha256 }]));
      const [port = 0] = await findFreePorts(1);
      const gateway = await startListeningApp('gateway', {
        ...Object.fromEntries(['HISTORY', 'CHAIN', 'TRACE'].map((name) => [`HISTORY_GATEWAY__${name}_API_URL`, api])),
        HISTORY_KEY_VALUE__KIND: 'memory',
        HISTORY_GATEWAY__PORT: String(port),
        HISTORY_GATEWAY__PUBLIC_PATHS: 'explorer',
        HISTORY_GATEWAY__REQUIRE_API_KEY: 'true',
        HISTORY_GATEWAY__API_KEYS_FILE: file,
        HISTORY_OPS__GATEWAY_PORT: '0',
      });
      const { url, operationsUrl = '' } = gateway;
      hosts.push(...[url, operationsUrl].map((each) => new URL(each).host));
      try {
        // The page for operators sends its requests to another port than that of the page.
        for (const root of [url, operationsUrl]) {
          const steps = async (page: Page): Promise<void> => {
            await shows(page, 'An API key is needed');
            expect(await violationsIn(page)).toEqual([]);
            await enterApiKey(page, 'wrong-key');
            await shows(page, 'unknown key');
            await enterApiKey(page, ' right-key ');
            await shows(page, 'Transaction');
            // The listener for clients has no /health here.
            expect(await page.getByText('Newest block').count()).toBe(root === url ? 0 : 1);
            await page.goto(`${root}/#/block/12`);
            await page.reload();
            const curl = await page.locator('.curl code').innerText();
            expect(curl).toContain(`curl -s -H "x-api-key: $API_KEY" ${url}/v1/trace_api/get_block`);
            expect(await page.content()).not.toContain('right-key');
          };
          const search = (page: Page): Promise<void> =>
            enterApiKey(page, 'right-key').then(() => titled(page, ['Account alice']));
          await look('#/search/alice', search, {}, root);
          await look('#/explore', steps, {}, root);
        }
      } finally {
        await stop(gateway.child);
      }
    });

    it.each([
      ['light', 'light', 1280],
      ['dark, on a phone', 'dark', 360],
    ] as const)(
      'is accessible and fits: %s',
      async (_name, colorScheme, width) => {
        const { trx_id: id } = await findTransfer();
        const options = { colorScheme, viewport: { width, height: 800 } };
        const views = [
          '',
          '#/explore',
          '#/account/alice',
          `#/transaction/${id}`,
          '#/block/102',
          `#/key/${KEY}`,
          '#/search/-',
        ];
        for (const view of views) {
          await look(
            view,
            async (page) => {
              await page.locator('main h1').waitFor({ timeout: LOADED_MS });
              await page.waitForLoadState('networkidle');
              expect([view, await violationsIn(page)]).toEqual([view, []]);
              expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
            },
            options,
          );
        }
      },
      180_000,
    );

    it('can be used with the keyboard alone', async () => {
      await look('#/explore', async (page) => {
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        expect(await page.evaluate('document.activeElement.id')).toBe('main');
        await page.getByRole('searchbox').focus();
        await page.keyboard.type('12');
        await page.keyboard.press('Enter');
        await shows(page, 'Block 12');
        expect(await page.evaluate('document.activeElement.id')).toBe('main');
      });
    });
  });

  describe('the page while its chain forks, and while its service is away', () => {
    const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-page-forks-'));
    afterAll(() => rmSync(data, { recursive: true, force: true }));

    it('follows', async () => {
      const recording = openSample('leap-forks');
      const [operationsPort = 0, gatewayPort = 0] = await findFreePorts(2);
      const ports = {
        HISTORY_OPS__GATEWAY_PORT: String(operationsPort),
        HISTORY_GATEWAY__PORT: String(gatewayPort),
        HISTORY_SHIP__SILENCE_SECONDS: '0',
      };
      // The node holds the blocks up to the first that a fork replaces.
      const nums = recording.messages.map(({ thisBlock }) => thisBlock?.num ?? 0);
      const forkAt = nums.findIndex((num, index) => index > 0 && num <= (nums[index - 1] ?? 0));
      const replaced = nums[forkAt] ?? 0;
      const replay = await createShipReplay({ recording, pace: 'manual', position: forkAt });
      let service = startService(replay.url, data, ports);
      const base = await service.operations;
      await service.gateway;

      await untilCommitted(data, nums[forkAt - 1] ?? 0);

      const hosts = [`127.0.0.1:${operationsPort}`, `127.0.0.1:${gatewayPort}`];
      const [block, status] = await Promise.all([visit(browser, hosts), visit(browser, hosts)]);
      await block.page.goto(`${base}/#/block/${replaced}`);
      await status.page.goto(base);
      const idOf = () => block.page.locator('.whole-id').innerText({ timeout: LOADED_MS });
      const orphan = await idOf();
      await status.page.locator('main dl').first().waitFor({ timeout: LOADED_MS });

      replay.advance(recording.messages.length);
      await block.page.locator('.whole-id').filter({ hasNotText: orphan }).waitFor({ timeout: 60_000 });
      expect(await idOf()).not.toBe(orphan);
      const forks = status.page.locator('.figures div', { hasText: 'Forks since the start' }).locator('dd');
      const head = (nums.at(-1) ?? 0).toLocaleString('en-US');
      await status.page.locator('.figures dd').first().filter({ hasText: head }).waitFor({ timeout: 60_000 });
      expect(Number(await forks.innerText())).toBeGreaterThan(0);

      service.child.kill('SIGKILL');
      await once(service.child, 'exit');
      await status.page.getByText('The service does not respond').waitFor({ timeout: 60_000 });
      expect(await status.page.getByText('no response since').count()).toBe(1);
      service = startService(replay.url, data, ports);
      await status.page.getByText(/Everything is running|Catching up/).waitFor({ timeout: 60_000 });
      expect([...block.problems, ...status.problems].filter((problem) => !/ERR_CONNECTION/.test(problem))).toEqual([]);
      await block.close();
      await status.close();
      await stop(service.child);
      await replay.close();
    }, 240_000);
  });
});
