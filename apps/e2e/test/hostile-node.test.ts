import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSample } from '@antelope-history/test-support/recordings';
import { startService, stop, untilCommitted, type ServiceProcess } from '@antelope-history/processes';
import { createShipReplay, MISBEHAVIOURS, startHostileNode } from '@antelope-history/ship-replay';

const recording = openSample('leap-forks');
const WAYS = Object.values(MISBEHAVIOURS);
const LIMIT_MS = 240_000;
/** The reason after some of the misbehaviours. On a slow machine many reconnections happen between two reads of /health. */
const REASON = 'SHIP_UNSUPPORTED';

/** The built service indexes a chain from a correct node and then restarts with a hostile node as its only source. */
describe('the service while its only node misbehaves', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-hostile-'));
  let service: ServiceProcess | undefined;
  afterEach(async () => service && stop(service.child));
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it(
    'serves stored blocks under every misbehaviour and reports in /health why it reads nothing',
    async () => {
      const last = recording.messages.at(-1)!.thisBlock!;
      const good = await createShipReplay({ recording });
      service = startService(good.url, data);
      await service.gateway;
      await untilCommitted(data, last.num);
      await stop(service.child);
      await good.close();

      const hostile = await startHostileNode(recording, WAYS);
      service = startService(hostile.url, data, {
        HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.01',
        HISTORY_SHIP__RECONNECT_MAX_SECONDS: '0.05',
        HISTORY_GATEWAY__PUBLIC_PATHS: 'health,health_details',
        HISTORY_SHIP__MAX_MESSAGE_BYTES: String(1024 * 1024),
      });
      const gateway = await service.gateway;
      const reasons = new Set<string>();
      const isDone = (): boolean => hostile.connections > 2 * WAYS.length && reasons.has(REASON);
      for (const end = Date.now() + LIMIT_MS / 2; !isDone() && Date.now() < end;) {
        const response = await fetch(`${gateway}/v1/chain/get_block`, {
          method: 'POST',
          body: JSON.stringify({ block_num_or_id: last.num }),
        });
        expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([200, last.id]);
        const health = (await (await fetch(`${gateway}/health`)).json()) as Health;
        // No fault is known yet while the reader waits for the first block of a node that has sent its status.
        if (health.status === 'degraded') reasons.add(health.components.ship.reason ?? '');
      }
      expect(hostile.connections).toBeGreaterThan(2 * WAYS.length);
      expect([...reasons]).toContain(REASON);
      expect(service.child.exitCode).toBeNull();
      await hostile.close();
    },
    LIMIT_MS,
  );
});

interface Health {
  status: string;
  components: { ship: { status: string; reason?: string } };
}
