import { SilenceWatch } from './silence-watch';

describe('a node that sends no blocks', () => {
  let silences: number;
  let mayHear: boolean;
  let receivedBytes: number;
  let watch: SilenceWatch;
  const begin = (silenceMs: number): void => {
    watch = new SilenceWatch(
      silenceMs,
      () => mayHear,
      () => silences++,
      () => receivedBytes,
    );
  };

  beforeEach(() => {
    jest.useFakeTimers();
    silences = 0;
    receivedBytes = 0;
    mayHear = true;
  });

  afterEach(() => {
    watch.stop();
    jest.useRealTimers();
  });

  it('is silent after the configured time, and not before', () => {
    begin(60_000);
    jest.advanceTimersByTime(59_000);
    expect(silences).toBe(0);
    jest.advanceTimersByTime(1_000);
    expect(silences).toBe(1);
  });

  it('is not silent while it sends, however slowly', () => {
    begin(60_000);
    for (let minute = 0; minute < 10; minute++) {
      jest.advanceTimersByTime(50_000);
      watch.heard();
    }
    expect(silences).toBe(0);
  });

  it('is not silent while a message of gigabytes arrives', () => {
    begin(60_000);
    for (let second = 0; second < 600; second++) {
      receivedBytes += 1_000_000;
      jest.advanceTimersByTime(1_000);
    }
    expect(silences).toBe(0);
    jest.advanceTimersByTime(61_000);
    expect(silences).toBeGreaterThan(0);
  });

  it('is silent when it drips, or sends pongs only', () => {
    begin(60_000);
    for (let second = 0; second < 60; second++) {
      receivedBytes += 1_000;
      jest.advanceTimersByTime(1_000);
    }
    expect(silences).toBe(1);
  });

  it('is silent however many messages without a block it sends', () => {
    begin(60_000);
    for (let second = 0; second < 60; second++) {
      receivedBytes += 1_000_000;
      watch.heardNothingNew();
      jest.advanceTimersByTime(1_000);
    }
    expect(silences).toBe(1);
  });

  it('is not silent because the process did not run', () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    begin(60_000);
    const run = (seconds: number): void => {
      for (let second = 0; second < seconds; second++) {
        now += 1_000;
        jest.advanceTimersByTime(1_000);
      }
    };
    now = 3_600_000;
    jest.advanceTimersByTime(1_000);
    expect(silences).toBe(0);
    run(57);
    expect(silences).toBe(0);
    run(1);
    expect(silences).toBe(1);
    jest.restoreAllMocks();
  });

  it('is not silent while the reader cannot take more', () => {
    begin(60_000);
    mayHear = false;
    jest.advanceTimersByTime(600_000);
    expect(silences).toBe(0);
    mayHear = true;
    jest.advanceTimersByTime(59_000);
    expect(silences).toBe(0);
  });

  it('is waited for as long as it takes when the time is 0', () => {
    begin(0);
    jest.advanceTimersByTime(86_400_000);
    expect(silences).toBe(0);
  });
});
