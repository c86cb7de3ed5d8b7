import { ok, wrong, type Finding } from './check';

/** A header with the time has whole seconds, and the answer was under way. */
const MOST_DIFFERENCE_MS = 5_000;

/** Compares another machine's clock with this one's, both in milliseconds since 1970. */
export function checkServerClock(prefix: string, whose: string, theirs: number, ours: number): Finding {
  const difference = Math.round((ours - theirs) / 1000);
  if (Math.abs(ours - theirs) <= MOST_DIFFERENCE_MS)
    return ok(`${prefix}.clock`, `the clock of ${whose} and this one agree`);
  return wrong(
    `${prefix}.clocks_differ`,
    `this machine's clock is ${Math.abs(difference)} seconds ${difference > 0 ? 'ahead of' : 'behind'} that of ${whose}`,
    'set the clocks of both, by NTP for instance',
  );
}
