import { type Delivery, TOPOLOGY } from '@antelope-history/broker';
import type { BlockRecords } from '@antelope-history/records';
import { PendingBlocks } from '../src/pending-blocks';
import { recordedRecords } from './recorded-records';

const BLOCKS = recordedRecords('leap-snapshot');
const BATCH_BYTES = 100_000;

/** Deliveries of all blocks that are lost when `isLost` says so. */
function deliveriesOf(isLost: () => boolean): Delivery<BlockRecords>[] {
  const nothing = (): void => undefined;
  return BLOCKS.map((message) => ({
    message,
    bytes: TOPOLOGY.blockRecords.sizeOf(message),
    redelivered: false,
    isLost,
    acknowledge: nothing,
    reject: nothing,
    requeue: nothing,
  }));
}

/** A delivery that is not lost, of a block far below the head. */
function farBehind(): Delivery<BlockRecords> {
  const head = { num: 4_000_000_000, id: 'f'.repeat(64) };
  return { ...deliveriesOf(() => false)[0]!, message: { ...BLOCKS[0]!, head } };
}

function takeAll(pending: PendingBlocks): Delivery<BlockRecords>[] {
  const taken: Delivery<BlockRecords>[] = [];
  while (!pending.isEmpty) taken.push(...pending.takeBatch());
  return taken;
}

describe('the blocks that wait for a write', () => {
  it('are those of the present connection to the broker, however often it was renewed', () => {
    const pending = new PendingBlocks(BATCH_BYTES);
    let connection = 0;
    for (let own = 0; own < 20; own++) {
      connection = own;
      for (const delivery of deliveriesOf(() => own !== connection)) pending.add(delivery);
    }
    const taken = takeAll(pending);
    expect(taken.length).toBe(BLOCKS.length);
    expect(taken.some((delivery) => delivery.isLost())).toBe(false);
  });

  it.each(['lost', 'written'])('have the bytes of those that are left when the others are %s', (how) => {
    const few = deliveriesOf(() => isLost).slice(0, 10);
    const pending = new PendingBlocks(few.reduce((sum, { bytes }) => sum + bytes, 0));
    let isLost = false;
    for (const delivery of few) pending.add(delivery);
    if (how === 'lost') isLost = true;
    else takeAll(pending);
    pending.add(farBehind());
    expect(pending.isWorthWriting()).toBe(false);
    expect(takeAll(pending).length).toBe(1);
  });

  it('are worth writing at once when the newest is the head of the chain', () => {
    const pending = new PendingBlocks(BATCH_BYTES);
    const delivery = farBehind();
    const { position } = delivery.message;
    pending.add({ ...delivery, message: { ...delivery.message, head: position } });
    expect(pending.isWorthWriting()).toBe(true);
  });
});
