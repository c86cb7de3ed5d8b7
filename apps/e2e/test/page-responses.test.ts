import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type ServiceProcess, startReplay, startService, stop, untilCommitted } from '@antelope-history/processes';
import { describeWithBrowser, findFreePorts } from '@antelope-history/servers';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { visit } from './page-visitor';

const LAST_BLOCK = 505;
const LOADED_MS = 30_000;

/** The page with responses that the sample chain and the default configuration do not make. */
describeWithBrowser((program) => {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-page-responses-'));
  let browser: Browser;
  let replay: Awaited<ReturnType<typeof startReplay>>;
  let service: ServiceProcess;
  let api: string;
  let base: string;

  beforeAll(async () => {
    // Root cannot use Chromium's sandbox.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: program, args });
    replay = await startReplay(sampleFolder('leap-edge'));
    const [port = 0] = await findFreePorts(1);
    const environment = { HISTORY_SHIP__SILENCE_SECONDS: '0', HISTORY_GATEWAY__PORT: String(port) };
    service = startService(replay.url, data, environment);
    [api, base] = [await service.gateway, await service.operations];
    await untilCommitted(data, LAST_BLOCK);
  }, 240_000);
  afterAll(async () => {
    await browser.close();
    await stop(service.child);
    await stop(replay.child);
    rmSync(data, { recursive: true, force: true });
  });

  /** Opens a view after `prepare`, runs the steps, and expects that nothing went wrong in the page. */
  async function look(
    hash: string,
    prepare: (page: Page) => Promise<void>,
    steps: (page: Page) => Promise<void>,
    options = {},
  ): Promise<void> {
    const hosts = [api, base].map((url) => new URL(url).host);
    const { page, problems, close } = await visit(browser, hosts, options);
    try {
      await prepare(page);
      await page.goto(`${base}/${hash}`);
      await steps(page);
      expect(problems).toEqual([]);
    } finally {
      await close();
    }
  }
  const shows = (page: Page, text: string) => page.getByText(text).first().waitFor({ timeout: LOADED_MS });

  async function findTransfer(): Promise<{ id: string; from: string }> {
    const body = JSON.stringify({ filter: 'eosio.token:transfer', offset: 1 });
    const response = await fetch(`${api}/v1/history/get_actions`, { method: 'POST', body });
    const { actions } = (await response.json()) as {
      actions: { action_trace: { trx_id: string; act: { data: { from: string } } } }[];
    };
    const { trx_id: id, act } = actions[0]!.action_trace;
    return { id, from: act.data.from };
  }

  it('pages in both directions by as many rows as the service allows', async () => {
    const { from } = await findTransfer();
    // A service with `api.limits.get_actions` of 10.
    const limit = async (page: Page): Promise<void> => {
      await page.route('**/get_actions', async (route) => {
        const sent = route.request().postDataJSON() as { offset: number };
        await route.continue({ postData: { ...sent, offset: Math.min(sent.offset, 10) } });
      });
    };
    await look(`#/account/${from}`, limit, async (page) => {
      const rangeOf = async (rows: string): Promise<void> => shows(page, `rows ${rows}`);
      const go = (name: string) => page.getByRole('link', { name, exact: true }).click();
      await rangeOf('1 to 10');
      await go('Older');
      await rangeOf('11 to 20');
      await go('Older');
      await rangeOf('21 to 30');
      await go('Newer');
      await rangeOf('11 to 20');
      await page.goBack();
      await rangeOf('21 to 30');
    });
  });

  it('has room for texts of contracts of any form, and executes none', async () => {
    const hostile = '<script>document.title="hostile"</script>';
    const data = { [`${hostile}${'k'.repeat(500)}`]: 1, to: hostile, memo: `\u202e${'W'.repeat(5_000)}` };
    const { id } = await findTransfer();
    const fill = async (page: Page): Promise<void> => {
      await page.route(/get_(actions|transaction)$/, async (route) => {
        const response = await route.fetch();
        const text = (await response.text()).replaceAll(/"data":\{[^{}]*\}/g, () => `"data":${JSON.stringify(data)}`);
        await route.fulfill({ response, body: text });
      });
    };
    for (const view of ['#/explore', '#/account/alice', `#/transaction/${id}`]) {
      await look(
        view,
        fill,
        async (page) => {
          await shows(page, hostile);
          expect(await page.title()).not.toBe('hostile');
          expect([view, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([view, 360]);
        },
        { viewport: { width: 360, height: 800 } },
      );
    }
  });

  it('says that what responds is not the service, and goes on when it is again', async () => {
    const replace = async (page: Page): Promise<void> => {
      await page.route('**/v1/**', (route) =>
        route.fulfill({ body: '<html>Log in</html>', headers: { 'access-control-allow-origin': '*' } }),
      );
    };
    await look('#/block/12', replace, async (page) => {
      await shows(page, 'is not that of the service');
      await shows(page, 'This view tries again by itself.');
      await page.unrouteAll();
      await shows(page, 'Block 12');
    });
  });
});
