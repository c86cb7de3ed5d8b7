import { ok, wrong, type Finding } from './check';

/** An HTTP `Date` header has whole seconds, and the response took time to arrive. */
const MAX_DIFFERENCE_MS = 5_000;

/**
 * Compares a server's clock with this machine's. `prefix` begins the finding's id, `server` names the server in its text;
 * both times are milliseconds since 1970.
 */
export function checkServerClock(prefix: string, server: string, serverTime: number, ownTime: number): Finding {
  const difference = Math.round((ownTime - serverTime) / 1000);
  if (Math.abs(ownTime - serverTime) <= MAX_DIFFERENCE_MS)
    return ok(`${prefix}.clock`, `the clock of ${server} and this one agree`);
  return wrong(
    `${prefix}.clocks_differ`,
    `this machine's clock is ${Math.abs(difference)} seconds ${difference > 0 ? 'ahead of' : 'behind'} that of ${server}`,
    'synchronize the clocks of both machines, for example with NTP',
  );
}
