import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSample } from '@antelope-history/test-support/recordings';
import { type ServiceProcess, startService, stop } from '@antelope-history/processes';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';

/** A contract of the sample that changes its ABI several times and has actions under each ABI. */
const CONTRACT = 'upgrader';
const STEP_MESSAGES = 30;

interface Row {
  global_action_seq: number;
  action_trace: { act: { name: string; data: unknown } };
}

describe('decoded action data', () => {
  const recording = openSample('eosio20-edge');
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-abi-'));
  let replay: ShipReplay;
  let service: ServiceProcess;
  let url: string;

  beforeAll(async () => {
    replay = await createShipReplay({ recording, pace: 'manual' });
    service = startService(replay.url, data);
    url = await service.gateway;
  });

  afterAll(async () => {
    await stop(service.child);
    await replay.close();
    rmSync(data, { recursive: true, force: true });
  });

  it('does not change when the contract sets another ABI later', async () => {
    const first = new Map<number, string>();
    let abisSetLater = 0;
    while (replay.stats.position < recording.messages.length) {
      replay.advance(STEP_MESSAGES);
      await untilCommitted(replay.stats.headBlockNum);
      for (const { global_action_seq: sequence, action_trace } of await actionsOf(`${CONTRACT}:*`)) {
        const data = JSON.stringify(action_trace.act);
        expect(data).toBe(first.get(sequence) ?? data);
        first.set(sequence, data);
      }
      const oldest = Math.min(...first.keys());
      const setabis = (await actionsOf('eosio:setabi')).filter((row) => isOfContract(row));
      abisSetLater = setabis.filter(({ global_action_seq }) => global_action_seq > oldest).length;
    }
    expect(first.size).toBeGreaterThan(3);
    expect(abisSetLater).toBeGreaterThan(1);
  });

  async function actionsOf(filter: string): Promise<Row[]> {
    const body = JSON.stringify({ filter, offset: 1000 });
    const response = await fetch(`${url}/v1/history/get_actions`, { method: 'POST', body });
    return ((await response.json()) as { actions: Row[] }).actions;
  }

  async function untilCommitted(blockNum: number): Promise<void> {
    for (let waited = 0; waited < 10_000; waited += 10) {
      const body = JSON.stringify({ block_num: -1 });
      const response = await fetch(`${url}/v1/trace_api/get_block`, { method: 'POST', body });
      if (((await response.json()) as { number?: number }).number === blockNum) return;
      await sleep(10);
    }
    throw new Error(`block ${blockNum} was not committed`);
  }
});

function isOfContract({ action_trace }: Row): boolean {
  return (action_trace.act.data as { account?: string }).account === CONTRACT;
}
