import { parseCommandLine, USAGE } from './command-line';
import { createShipReplay } from './ship-replay';

async function run(args: string[]): Promise<void> {
  const options = parseCommandLine(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const replay = await createShipReplay(options);
  const { length, position } = replay.stats;
  process.stdout.write(`${replay.url} serves ${options.recording}, message ${position} of ${length}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void replay.close());
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`ship-replay: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
