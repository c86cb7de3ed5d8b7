#!/usr/bin/env node
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_INTERVAL_MS } from './limits';

/**
 * Sends requests to a URL without pause, each on a connection of its own. It is a separate process, because the process that
 * parses the responses is busy. Prints a line `start duration` (milliseconds) for each request.
 */
async function run(url: string): Promise<void> {
  process.stdout.on('error', () => undefined);
  // Ends when the parent closes the pipe.
  while (process.stdout.writable) {
    const start = Date.now();
    const begun = performance.now();
    await probe(url);
    process.stdout.write(`${start} ${Math.round(performance.now() - begun)}\n`);
    await sleep(Math.max(0, LIVE_INTERVAL_MS - (performance.now() - begun)));
  }
}

/** Resolves after the response or the error. */
function probe(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => response.resume().on('close', resolve));
    request.on('error', () => resolve());
  });
}

void run(process.argv[2] ?? '');
