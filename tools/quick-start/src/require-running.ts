import { hasEnded, type Replay, StartError } from '@antelope-history/processes';

/** Throws a `StartError` when the process that plays the recording has ended: the service would wait for it without end. */
export function requireRunning(replay: Replay | undefined): void {
  if (!replay || !hasEnded(replay.child)) return;
  const { signalCode: signal, exitCode } = replay.child;
  const why = signal === null ? `ended with status ${exitCode}` : `was ended by ${signal}`;
  throw new StartError(`The process that plays the recording ${why}. Start the command again.`);
}
