import { readFileSync } from 'node:fs';

/**
 * Loaded before a program (`node --require`): its wall clock is off by the milliseconds in a file, which may change at any time.
 * Clocks that only count, as `performance.now`, stay as they are.
 */
export const CLOCK_FILE_VARIABLE = 'HISTORY_SIMULATED_CLOCK_FILE';
const READ_EVERY_MS = 50;

const file = process.env[CLOCK_FILE_VARIABLE];
if (file !== undefined) {
  const RealDate = Date;
  let offsetMs = 0;
  const read = (): void => {
    try {
      offsetMs = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      offsetMs = 0;
    }
  };
  read();
  setInterval(read, READ_EVERY_MS).unref();
  const now = (): number => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: number[]) => (args.length === 0 ? new target(now()) : new target(...(args as [number]))),
    get: (target, key, receiver): unknown => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
}
