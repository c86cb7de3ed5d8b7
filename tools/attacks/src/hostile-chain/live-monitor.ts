#!/usr/bin/env node
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_INTERVAL_MS } from './limits';

/**
 * Asks a URL all the time, each time on a connection of its own, from a process of its own: the one that takes
 * responses apart is busy with them. Prints a line `start duration` (milliseconds) for each.
 */
async function run(url: string): Promise<void> {
  process.stdout.on('error', () => undefined);
  // Until nobody reads any more.
  while (process.stdout.writable) {
    const start = Date.now();
    const begun = performance.now();
    await ask(url);
    process.stdout.write(`${start} ${Math.round(performance.now() - begun)}\n`);
    await sleep(Math.max(0, LIVE_INTERVAL_MS - (performance.now() - begun)));
  }
}

/** Resolves with the response, or with the refusal of a service that is not there. */
function ask(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => response.resume().on('close', resolve));
    request.on('error', () => resolve());
  });
}

void run(process.argv[2] ?? '');
