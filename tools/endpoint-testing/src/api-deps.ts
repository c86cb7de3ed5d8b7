import { type Config, createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import type { HistoryReader } from '@antelope-history/store';

/** An hour after the last block of the sample chains. */
export const SAMPLE_NOW = Date.parse('2026-11-21T04:00:00Z');

/** `cache-control` of a final response. */
export const FINAL_CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** Dependencies of an API app over a reader, with a silent log and the given environment variables. */
export function createApiDeps(reader: HistoryReader, environment: NodeJS.ProcessEnv = {}) {
  const config: Config['api'] = loadConfig(environment).api;
  return { reader, config, log: createLogger('test', 'silent'), registry: new Registry(), now: () => SAMPLE_NOW };
}
