import { destination, type DestinationStream } from 'pino';

/** The most bytes of lines that wait until a disk or pipe takes them; further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

let dropped = 0;

/** The number of lines that the logs of this process dropped. */
export function droppedLogLines(): number {
  return dropped;
}

/**
 * An output for the lines of a log, on an open file. Synchronous: the lines before a crash or an exit must not be lost in a buffer.
 * A full disk does not end the service: lines wait for the next write, and are dropped and counted when too many wait.
 */
export function openLogOutput(fd: number): DestinationStream {
  const output = destination({ dest: fd, sync: true, maxLength: MAX_WAITING_BYTES });
  // The output writes the line again together with the next one.
  output.on('error', () => undefined);
  output.on('drop', () => dropped++);
  return output;
}
