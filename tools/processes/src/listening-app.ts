import type { ChildProcess } from 'node:child_process';
import { ERROR } from './app-log';
import { startApp } from './app-process';

/** An app that serves HTTP in a process of its own. */
export interface ListeningApp {
  child: ChildProcess;
  /** URL where it listens: `http://…`. */
  url: string;
  /** URL of its operations listener; undefined when it has none. */
  operationsUrl: string | undefined;
}

/** Starts a built app that serves HTTP; resolves when it listens. Its errors are shown on this process's standard error. */
export async function startListeningApp(app: string, environment: NodeJS.ProcessEnv): Promise<ListeningApp> {
  let operationsUrl: string | undefined;
  const { child, logged } = startApp(app, {
    environment,
    onEntry(entry, line) {
      if (entry.msg === 'operations listening') operationsUrl = entry.url;
      if (entry.level >= ERROR) process.stderr.write(`${line}\n`);
    },
  });
  // An app opens its operations listener before it listens for clients.
  const { url = '' } = await logged('listening');
  return { child, url, operationsUrl };
}
