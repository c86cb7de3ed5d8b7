import type { ChildProcess } from 'node:child_process';
import type { ReplayMessage } from '@antelope-history/ship-replay';
import { startProgram } from './program';
import { StartError } from './start-error';

/** A recording that a process of its own serves on a state history socket. */
export interface Replay {
  child: ChildProcess;
  /** URL of the socket. */
  url: string;
  /** Number of the block that the recording ends with. */
  lastBlockNum: number;
  /** Whether the whole recording has been played. */
  atEnd(): boolean;
}

/**
 * Serves the recording in a folder on a free port of 127.0.0.1. `options` are added to the command line of
 * tools/ship-replay. Rejects with a `StartError` when the recording can not be read.
 */
export function startReplay(folder: string, options: string[] = []): Promise<Replay> {
  const child = startProgram('tools/ship-replay/dist/main.js', {
    args: ['--recording', folder, '--port', '0', ...options],
  });
  child.stdout?.resume();
  let position = 0;
  return new Promise((resolve, reject) => {
    child.on('message', (message: ReplayMessage) => {
      switch (message.type) {
        case 'serving': {
          const { url, lastBlockNum, length } = message;
          resolve({ child, url, lastBlockNum, atEnd: () => position >= length });
          return;
        }
        case 'position':
          position = message.position;
          return;
        case 'failed':
          reject(new StartError(`The recording can not be played: ${message.reason}.`));
      }
    });
    child.once('exit', () => reject(new StartError('The recording can not be played: see the message above.')));
  });
}
