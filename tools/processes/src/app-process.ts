import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type LogEntry, parseLogLine } from './app-log';
import { readLines, startProgram, stop } from './program';

export interface AppOptions {
  args?: string[];
  /** Variables that are added to the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Called with each line that the app prints, in order. */
  onEntry?: (entry: LogEntry, line: string) => void;
}

/** A built app in a process of its own. */
export interface AppProcess {
  child: ChildProcess;
  /** Resolves with the first log entry that has this message; rejects when the app ends before it logs one. */
  logged(message: string): Promise<LogEntry>;
  /** Ends the app; resolves when `onEntry` has been called with all that it printed, which can be later than its end. */
  stop(): Promise<void>;
}

/** Starts a built app, named by its folder below `apps`. The caller ends it with its `stop`. */
export function startApp(app: string, options: AppOptions = {}): AppProcess {
  const { args = [], environment = {}, onEntry } = options;
  const child = startProgram(`apps/${app}/dist/main.js`, { args, environment, stderr: 'pipe' });
  const firsts = new Map<string, LogEntry>();
  const awaited = new Map<string, (entry: LogEntry) => void>();
  readLines(child, (line) => {
    const entry = parseLogLine(line);
    if (!firsts.has(entry.msg)) firsts.set(entry.msg, entry);
    awaited.get(entry.msg)?.(entry);
    awaited.delete(entry.msg);
    onEntry?.(entry, line);
  });
  const ended = once(child, 'close');
  // A child that can not be started rejects here; `logged` passes it on.
  ended.catch(() => undefined);
  return {
    child,
    logged(message) {
      const entry = new Promise<LogEntry>((resolve, reject) => {
        const first = firsts.get(message);
        if (first) resolve(first);
        else awaited.set(message, resolve);
        ended.then(() => reject(new Error(`${app} ended before it logged "${message}"`)), reject);
      });
      // A caller that stops the app early need not wait for the entry.
      entry.catch(() => undefined);
      return entry;
    },
    async stop() {
      await stop(child);
      await ended;
    },
  };
}
