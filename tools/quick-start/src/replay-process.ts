import { openRecording } from '@antelope-history/test-support/recordings';
import { createShipReplay } from '@antelope-history/ship-replay';

/** What the replay tells the launcher. */
export type ReplayMessage =
  | { kind: 'serving'; url: string; lastBlockNum: number; length: number }
  | { kind: 'position'; position: number }
  | { kind: 'failed'; message: string };

const REPORT_EVERY_MS = 100;

/** Serves the recording in the folder that is its one argument, in a process of its own. */
async function serve(folder: string): Promise<void> {
  const recording = openRecording(folder);
  const replay = await createShipReplay({ recording });
  const blocks = recording.messages.filter(({ thisBlock }) => thisBlock !== undefined);
  tell({
    kind: 'serving',
    url: replay.url,
    lastBlockNum: blocks.at(-1)?.thisBlock?.num ?? 0,
    length: replay.stats.length,
  });
  const report = setInterval(() => tell({ kind: 'position', position: replay.stats.position }), REPORT_EVERY_MS);
  process.once('SIGTERM', () => {
    clearInterval(report);
    void replay.close();
  });
}

function tell(message: ReplayMessage): void {
  if (process.connected) process.send?.(message);
}

serve(process.argv[2] ?? '').catch((error: unknown) => {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.disconnect();
});
