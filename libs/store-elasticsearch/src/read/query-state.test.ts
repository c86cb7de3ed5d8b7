import { emptyProgress } from '../indices/progress';
import { isStillReadable, measureAge } from './query-state';

const at = (num: number) => ({ num, id: num.toString(16).padStart(64, '0') });
const BEFORE = { ...emptyProgress(100), committed: at(50), revision: 3, clean_up_to: 20 };

describe('a query that took long', () => {
  it('has read what still exists when the branch only grew', () => {
    expect(isStillReadable(BEFORE, { ...BEFORE, committed: at(90), clean_up_to: 50 })).toBe(true);
  });

  it('may lack permission versions when blocks after its own were cleaned', () => {
    expect(isStillReadable(BEFORE, { ...BEFORE, committed: at(90), clean_up_to: 51 })).toBe(false);
  });

  it('has read of another store when the indices were made again', () => {
    expect(isStillReadable(BEFORE, { ...BEFORE, store_id: 'other' })).toBe(false);
  });

  it('may have read a part of a range when a lost index was made anew', () => {
    expect(isStillReadable(BEFORE, { ...BEFORE, restorations: 1 })).toBe(false);
  });

  it('may lack orphans of its branch when anything was cleaned after a fork', () => {
    expect(isStillReadable(BEFORE, { ...BEFORE, revision: 4 })).toBe(true);
    expect(isStillReadable(BEFORE, { ...BEFORE, revision: 4, clean_up_to: 21 })).toBe(false);
  });
});

describe('the age of a state', () => {
  afterEach(() => jest.useRealTimers());

  it('counts the time that the process was suspended, which only the wall clock shows', () => {
    jest.useFakeTimers({ now: 1_000_000, doNotFake: ['performance'] });
    const age = measureAge();
    jest.setSystemTime(1_000_000 + 60_000);
    expect(age()).toBeGreaterThanOrEqual(60_000);
  });

  it('does not shrink when the wall clock is set back', () => {
    jest.useFakeTimers({ now: 1_000_000 });
    const age = measureAge();
    jest.advanceTimersByTime(5_000);
    jest.setSystemTime(900_000);
    expect(age()).toBe(5_000);
  });
});
