import { createProgressView, stopWithOutput } from '@antelope-history/quick-start/progress';
import { runProgram } from './program';

/** The program behind `npx antelope-history`. */
const stopping = new AbortController();
stopWithOutput(() => stopping.abort());
void runProgram(process.argv.slice(2), {
  environment: process.env,
  output: process.stdout,
  errors: process.stderr,
  progress: createProgressView(process.stderr),
  signal: stopping.signal,
  onInterrupt: () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
  },
}).then((status) => {
  process.exitCode = status ?? process.exitCode;
});
