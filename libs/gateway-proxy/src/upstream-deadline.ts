import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * Ends a request to an upstream whose response is not complete after `limitMs` milliseconds, without the time in which the client
 * delayed it. An upstream that sends a byte now and then, or interim responses only, would otherwise hold it for ever.
 */
export function limitUpstreamTime(sent: ClientRequest, limitMs: number): void {
  let left = limitMs;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    if (timer) return;
    startedAt = performance.now();
    timer = setTimeout(() => sent.destroy(new Error('the upstream took too long to respond')), left);
  };
  const hold = (): void => {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    left = Math.max(0, left - (performance.now() - startedAt));
  };
  run();
  sent.once('response', (received: IncomingMessage) =>
    received.on('pause', hold).on('resume', run).once('close', hold),
  );
  sent.once('close', hold);
}
