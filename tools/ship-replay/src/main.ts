import { openRecording } from '@antelope-history/test-support/recordings';
import { parseCommandLine, USAGE } from './command-line';
import { reportFailure, startReport } from './replay-report';
import { createShipReplay } from './ship-replay';

async function run(args: string[]): Promise<void> {
  const options = parseCommandLine(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const recording = openRecording(options.recording);
  const replay = await createShipReplay({ ...options, recording });
  const { length, position } = replay.stats;
  process.stdout.write(`${replay.url} serves ${options.recording}, message ${position} of ${length}\n`);
  const stopReport = startReport(replay, recording);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stopReport();
      void replay.close();
    });
  }
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  if (!reportFailure(reason)) process.stderr.write(`ship-replay: ${reason}\n`);
  process.exitCode = 1;
});
