import { healthResponse, type StatusResponse } from '@antelope-history/schemas';
import { renderStatus } from './render-status';

const AT = Date.UTC(2026, 0, 1);
const health = healthResponse.parse({
  status: 'degraded',
  version: '4.1.0',
  chain_id: null,
  head_block_num: 1_000,
  committed_block_num: null,
  last_irreversible_block_num: null,
  lag_blocks: null,
  components: { ship: { status: 'down', reason: 'SHIP_UNSUPPORTED' }, key_value: { status: 'ok' } },
  incomplete_ranges: [],
});
const STATUS: StatusResponse = {
  at: AT,
  health,
  totals: {},
  samples: [],
  processes: [
    {
      kind: 'indexer',
      host: 'one',
      pid: 7,
      since: '2026-01-01T00:00:00Z',
      status: 'degraded',
      version: '4.1.0',
      last_error: { at: AT - 60_000, message: '\u001b[2Jgone\n\u009bx', code: 'STORE_FULL' },
    },
  ],
};

describe('renderStatus', () => {
  it('names the components that are not ok, and shows unknown values as unknown', () => {
    const text = renderStatus(STATUS);
    expect(text).toMatch(/^ship +down \(SHIP_UNSUPPORTED\)$/m);
    expect(text).not.toContain('key-value');
    expect(text).toMatch(/^Chain +not known yet$/m);
    expect(text).not.toMatch(/null|undefined|NaN/);
  });

  it('lets no text of another process steer the terminal', () => {
    const text = renderStatus(STATUS);
    expect(text).toMatch(/^indexer +degraded.*last error 60 s ago: {2}\[2Jgone {2}x \(STORE_FULL\)$/m);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});
