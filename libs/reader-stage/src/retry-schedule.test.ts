import { TOPOLOGY } from '@antelope-history/broker';
import { RetrySchedule } from './retry-schedule';

const QUEUED = TOPOLOGY.rawBlocks.maxMessages + TOPOLOGY.blockRecords.maxMessages;

/** A time after which an outage is no longer short. */
const LONG_AGO_MS = 3_600_000;

/** Requests so many waits of a schedule of 100 ms to an hour that the next one is longer than a first wait can be. */
function grow(schedule: RetrySchedule): void {
  for (let attempt = 0; attempt < 10; attempt++) schedule.nextWaitMs(attempt === 0 ? 0 : LONG_AGO_MS);
}

const isReset = (schedule: RetrySchedule): boolean => schedule.nextWaitMs(LONG_AGO_MS) <= 100;

describe('RetrySchedule', () => {
  it('waits at most two seconds in the first minute of an outage, however many attempts fail', () => {
    const schedule = new RetrySchedule(500, 3_600_000);
    for (let now = 0; now < 60_000; now += 1_000) expect(schedule.nextWaitMs(now)).toBeLessThanOrEqual(2_000);
    expect(schedule.nextWaitMs(60_000)).toBeGreaterThan(2_000);
    schedule.published(7);
    grow(schedule);
    expect(schedule.nextWaitMs(LONG_AGO_MS + 1)).toBeGreaterThan(2_000);
  });

  let schedule: RetrySchedule;
  beforeEach(() => {
    schedule = new RetrySchedule(100, 3_600_000);
    grow(schedule);
  });

  it('starts again at the shortest wait when a block was published', () => {
    schedule.published(7);
    expect(isReset(schedule)).toBe(true);
  });

  it('keeps growing after a refetch request until blocks beyond all queued ones are published', () => {
    schedule.refetchRequested();
    schedule.restarted(50);
    schedule.published(50 + QUEUED);
    expect(isReset(schedule)).toBe(false);
    schedule.published(51 + QUEUED);
    expect(isReset(schedule)).toBe(true);
  });

  it('starts again at the shortest wait when the committed head has moved since the last refetch request', () => {
    schedule.refetchRequested();
    schedule.restarted(50);
    schedule.refetchRequested();
    schedule.restarted(50);
    expect(isReset(schedule)).toBe(false);
    schedule.refetchRequested();
    schedule.restarted(51);
    expect(isReset(schedule)).toBe(true);
  });
});
