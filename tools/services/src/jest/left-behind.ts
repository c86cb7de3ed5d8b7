import { listContents } from '../contents/server-contents';
import type { Services } from '../services';

/** What lay on the servers before the tests: kept from the set-up of a Jest run to its end, which share a process. */
let before: { services: Services; contents: Set<string> } | undefined;

/**
 * Remembers what lies on the servers. Only where CI=true: elsewhere others may use them at the same time. Of several sets
 * of servers in one run the largest counts.
 */
export async function rememberContents(services: Services): Promise<void> {
  if (process.env['CI'] !== 'true') return;
  if (before && before.services.available.size >= services.available.size) return;
  before = { services, contents: new Set(await listContents(services)) };
}

/** What tests made on the servers and did not remove. */
export async function listLeftBehind(): Promise<string[]> {
  if (!before) return [];
  const { services, contents } = before;
  return (await listContents(services)).filter((name) => !contents.has(name));
}
