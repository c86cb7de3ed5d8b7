import type { Command } from 'commander';
import { abortableSleep } from '@antelope-history/connectivity';
import { HistoryError, type HealthStatus, type StatusResponse, statusResponse } from '@antelope-history/schemas';
import { fetchInTime } from '../fetch-in-time';
import { requireUrl } from '../option-values';
import { COULD_NOT_RUN, type CommandHost } from '../program';
import { renderStatus } from './render-status';

interface StatusOptions {
  url: string;
  json: boolean;
  once: boolean;
}

const REFRESH_MS = 2_000;
const LIMIT_MS = 10_000;
/** Moves the cursor to the top left and erases what is below. */
const CLEAR = '\u001b[H\u001b[J';

const EXIT_STATUS: Record<HealthStatus, number> = { ok: 0, catching_up: 0, degraded: 1, down: 1 };

export function addStatus(program: Command, host: CommandHost, setStatus: (status: number) => void): void {
  program
    .command('status')
    .description('how a running service is doing; on a terminal until Ctrl-C')
    .option('--url <url>', "address of the gateway's operations listener", requireUrl, 'http://127.0.0.1:8890')
    .option('--once', 'print it once, as where the output is no terminal', false)
    .option('--json', 'print one JSON object: what /status responds', false)
    .addHelpText(
      'after',
      '\nExit status: 0 it is running or catching up, 1 a part is unavailable, 2 it does not respond.',
    )
    .action(async (options: StatusOptions) => setStatus(await showStatus(options, host)));
}

async function showStatus({ url, json, once }: StatusOptions, host: CommandHost): Promise<number> {
  const { output, signal } = host;
  const status = await readStatus(url, signal);
  if (json) output.write(`${JSON.stringify(status)}\n`);
  if (json || once || !output.isTTY) {
    if (!json) output.write(renderStatus(status));
    return EXIT_STATUS[status.health.status];
  }
  host.onInterrupt();
  return follow(url, status, host);
}

/** Shows the status until Ctrl-C; the exit status is that of the last one. */
async function follow(url: string, first: StatusResponse, { output, signal }: CommandHost): Promise<number> {
  let result = 0;
  let status: StatusResponse | undefined = first;
  const isStopped = (): boolean => signal.aborted;
  while (!isStopped()) {
    output.write(`${CLEAR}${status ? renderStatus(status) : `The service at ${url} does not respond.\n`}`);
    result = status ? EXIT_STATUS[status.health.status] : COULD_NOT_RUN;
    await abortableSleep(REFRESH_MS, signal);
    if (!isStopped()) status = await readStatus(url, signal).catch(() => undefined);
  }
  return result;
}

/** Rejects with `UNAVAILABLE` when no gateway of this version responds. */
async function readStatus(url: string, signal: AbortSignal): Promise<StatusResponse> {
  try {
    const target = `${url.replace(/\/+$/, '')}/status`;
    const content = await fetchInTime(target, {}, { limitMs: LIMIT_MS, signal }, (response) => response.json());
    return statusResponse.parse(content);
  } catch (cause) {
    const advice =
      'does it run, and is this the address of its operations listener (--url, `Page` in the output of start)?';
    throw new HistoryError('UNAVAILABLE', `no gateway responds at ${url}: ${advice}`, { cause });
  }
}
