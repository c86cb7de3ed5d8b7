import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { createChainsHealth } from './chains-health';

describe('the health of several chains', () => {
  it.each<[HealthStatus, HealthStatus[]]>([
    ['ok', ['ok', 'ok']],
    ['catching_up', ['ok', 'catching_up']],
    ['degraded', ['ok', 'catching_up', 'degraded']],
    ['degraded', ['ok', 'down']],
    ['degraded', ['down', 'catching_up']],
    ['down', ['down', 'down']],
  ])('is %s of chains that are %j', async (status, statuses) => {
    const chains = statuses.map((each, index) => ({
      name: `chain-${index}`,
      status: { readHealth: async () => ({ status: each }) as HealthResponse },
    }));
    expect(await createChainsHealth(chains)()).toMatchObject({
      status,
      chains: Object.fromEntries(statuses.map((each, index) => [`chain-${index}`, { status: each }])),
    });
  });
});
