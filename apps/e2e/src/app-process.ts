import type { ChildProcess } from 'node:child_process';
import { outputLines, startProgram } from '@antelope-history/service-process';

/** An app of the service in a process of its own. */
export interface AppProcess {
  child: ChildProcess;
  /** Where it listens: `http://…`. */
  url: string;
  /** Of its operations listener; undefined when it has none. */
  operationsUrl: string | undefined;
}

/** Starts a built app that serves HTTP, by the name of its folder; resolves when it listens. */
export async function startApp(name: string, environment: Record<string, string>): Promise<AppProcess> {
  const child = startProgram(`apps/${name}/dist/main.js`, [], environment);
  const lines = outputLines(child);
  let operationsUrl: string | undefined;
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const { msg, url } = JSON.parse(line.value) as { msg: string; url?: string };
    // Its output is read on, so that it never waits for a reader.
    if (msg === 'listening' && url !== undefined) return { child, url, operationsUrl };
    if (msg === 'operations listening') operationsUrl = url;
  }
  throw new Error(`${name} ended before it listened`);
}
