import { listContents } from '../contents/server-contents';
import type { Services } from '../services';

/** The contents of the servers before the tests. The global set-up and teardown of a Jest run share a process. */
let before: { services: Services; contents: Set<string> } | undefined;

/**
 * Remembers the contents of the servers. Only where CI=true: elsewhere other programs may use them at the same time. Of
 * several sets of servers in one run, the largest counts.
 */
export async function rememberContents(services: Services): Promise<void> {
  if (process.env['CI'] !== 'true') return;
  if (before && before.services.available.size >= services.available.size) return;
  before = { services, contents: new Set(await listContents(services)) };
}

/** Lists what the tests created on the servers and did not remove. */
export async function listLeftBehind(): Promise<string[]> {
  if (!before) return [];
  const { services, contents } = before;
  return (await listContents(services)).filter((name) => !contents.has(name));
}
