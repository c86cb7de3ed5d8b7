#!/usr/bin/env node
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_INTERVAL_MS } from './hostile-chain/limits';

/**
 * Sends requests to a URL without pause, each on a connection of its own. It is a separate process, because the process of
 * the clients is busy. Prints a line `start` when it sends a request, and `start duration status` when it has the response:
 * milliseconds, and status 0 for a request without a response.
 */
async function run(url: string): Promise<void> {
  process.stdout.on('error', () => undefined);
  // Ends when the parent closes the pipe.
  while (process.stdout.writable) {
    const start = Date.now();
    const begun = performance.now();
    process.stdout.write(`${start}\n`);
    const status = await probe(url);
    process.stdout.write(`${start} ${Math.round(performance.now() - begun)} ${status}\n`);
    await sleep(Math.max(0, LIVE_INTERVAL_MS - (performance.now() - begun)));
  }
}

/** Resolves with the status after the response, or with 0 after an error. */
function probe(url: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) =>
      response.resume().on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0)),
    );
    request.on('error', () => resolve(0));
  });
}

void run(process.argv[2] ?? '');
