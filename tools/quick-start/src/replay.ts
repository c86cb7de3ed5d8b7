import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { startChild } from './child';
import { QuickStartError } from './command-line';
import type { ReplayMessage } from './replay-process';

/** A recording that a child plays on a state history socket. */
export interface Replay {
  child: ChildProcess;
  url: string;
  /** Number of the block that the recording ends with. */
  lastBlockNum: number;
  /** Whether all of it has been played. */
  atEnd(): boolean;
}

/** Rejects when the recording can not be read. */
export function startReplay(folder: string, environment: NodeJS.ProcessEnv): Promise<Replay> {
  const child = startChild(path.join(__dirname, 'replay-process.js'), [folder], environment);
  child.stderr?.pipe(process.stderr);
  let position = 0;
  return new Promise((resolve, reject) => {
    child.on('message', (message: ReplayMessage) => {
      switch (message.kind) {
        case 'serving': {
          const { url, lastBlockNum, length } = message;
          resolve({ child, url, lastBlockNum, atEnd: () => position >= length });
          return;
        }
        case 'position':
          position = message.position;
          return;
        case 'failed':
          reject(new QuickStartError(`The recording can not be played: ${message.message}.`));
      }
    });
    child.once('exit', () => reject(new QuickStartError('The recording can not be played: see the message above.')));
  });
}
