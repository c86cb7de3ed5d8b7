import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import request from 'supertest';
import { healthResponse, type HealthResponse } from '@antelope-history/schemas';
import { renderStatusPage } from '../src/status-page/render-status-page';
import { BrokenKeyValue, CHAIN_FACTS, GatewayStand } from './gateway-stand';

const SERVED = ['/docs', '/openapi.json', '/metrics', '/health'];
const AT = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));

describe('the status page', () => {
  const stand = new GatewayStand();
  beforeAll(() => stand.open());
  afterAll(() => stand.close());

  const get = (settings = {}) => request(stand.createOperations(settings)).get('/');

  it('shows the content of /health', async () => {
    const page = await get({ now: () => AT.getTime() });
    const { body } = await request(stand.createOperations()).get('/health');
    expect([page.status, page.type]).toEqual([200, 'text/html']);
    expect(page.text).toBe(renderStatusPage(healthResponse.parse(body), SERVED, AT));
    expect(page.text).toContain('Everything is running');
    expect(page.text).toContain('2026-01-02 03:04:05 UTC');
  });

  it('is served while everything else is unavailable', async () => {
    const nowhere = 'http://127.0.0.1:9';
    const environment = {
      HISTORY_GATEWAY__HISTORY_API_URL: nowhere,
      HISTORY_GATEWAY__CHAIN_API_URL: nowhere,
      HISTORY_GATEWAY__TRACE_API_URL: nowhere,
    };
    const page = await get({ environment, keyValue: new BrokenKeyValue() });
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.text).toContain('Queries cannot be answered');
  });

  it('links only to pages that are served', async () => {
    const operations = stand.createOperations();
    const { text } = await request(operations).get('/');
    const links = [...text.matchAll(/<a href="\.(\/[^"]+)"/g)].map(([, link]) => String(link));
    expect(links).toEqual(SERVED);
    for (const link of links) expect([link, (await request(operations).get(link)).status]).toEqual([link, 200]);
  });

  it('is public where configured, and links to public paths only', async () => {
    const environment = { HISTORY_GATEWAY__PUBLIC_PATHS: 'status_page,health' };
    const { text } = await request(stand.createGateway({ environment })).get('/');
    expect([...text.matchAll(/<a href="\.(\/[^"]+)"/g)].map(([, link]) => link)).toEqual(['/health']);
  });

  it('loads nothing, and its policy allows only its own script and style', async () => {
    const { text, headers } = await get();
    const policy = String(headers['content-security-policy']);
    const [style, script] = ['style', 'script'].map(
      (tag) => new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? '',
    ) as [string, string];
    for (const [directive, content] of [
      ['style-src', style],
      ['script-src', script],
    ] as const) {
      const hash = createHash('sha256').update(content).digest('base64');
      expect(policy.split('; ')).toContain(`${directive} 'sha256-${hash}'`);
    }
    expect(() => new Script(script)).not.toThrow();
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/\sstyle=|\son\w+=|src=|https?:\/\/(?!www\.w3\.org)/);
  });

  it('reloads itself without JavaScript', async () => {
    expect((await get()).text).toMatch(/<noscript><meta http-equiv="refresh" content="\d+"><\/noscript>/);
  });

  it('gives each changing element a unique id', async () => {
    const ids = [...(await get()).text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ['status', 'progress', 'head', 'committed', 'irreversible', 'lag', 'ranges', 'components', 'at'])
      expect(ids).toContain(id);
  });

  describe('with health data', () => {
    const render = (health: Partial<HealthResponse>): string =>
      renderStatusPage({ ...CHAIN_FACTS, status: 'ok', ...health }, SERVED, AT);

    it('shows the state of the chain', () => {
      const page = render({
        status: 'catching_up',
        first_block_num: 2,
        head_block_num: 199_068_090,
        committed_block_num: 132_000_000,
        lag_blocks: 67_068_090,
        incomplete_ranges: [{ first_block_num: 1_200, last_block_num: 3_400 }],
      });
      for (const text of ['199,068,090', '67,068,090', '66.31 % is committed', '1,200 – 3,400', 'Catching up'])
        expect(page).toContain(text);
    });

    it('shows unknown values as unknown', () => {
      const page = render({ status: 'down', chain_id: null, head_block_num: null, committed_block_num: null });
      expect(page).toContain('not known yet');
      expect(page).not.toMatch(/null|NaN|undefined/);
    });

    it('shows each component with its throughput, known components in their order', () => {
      const page = render({
        components: {
          other_part: { status: 'degraded' },
          key_value: { status: 'ok' },
          indexer: { status: 'catching_up', count: 2, blocks_per_second: 1_512.4 },
          reader: { status: 'down', count: 0 },
        },
      });
      const rows = [...page.matchAll(/<li class="(\w+)">(.*?)<\/li>/g)].map(([, status, row]) => [
        status,
        String(row).replaceAll(/<[^>]+>/g, '|'),
      ]);
      expect(rows).toEqual([
        ['down', '|Reader||0 running||down|'],
        ['catching_up', '|Indexer||2 running · 1,512.4 blocks/s||catching up|'],
        ['ok', '|Key-value store||||ok|'],
        ['degraded', '|Other part||||degraded|'],
      ]);
    });

    it('escapes all text from other processes', () => {
      const evil = '<script>alert(1)</script>"\'&';
      const page = render({ chain_id: evil, version: evil, components: { [evil]: { status: 'ok' } } });
      expect(page.match(/<script>/g)).toHaveLength(1);
      expect(page).not.toContain('alert(1)</script>');
    });

    it('shows at most 20 incomplete ranges', () => {
      const ranges = Array.from({ length: 1_000 }, (_, index) => ({ first_block_num: index, last_block_num: index }));
      expect(render({ incomplete_ranges: ranges })).toContain('and 980 more');
    });
  });
});
