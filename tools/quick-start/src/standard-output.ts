/**
 * Calls `stop` when the standard output cannot be written: its reader has left, as `head` does after the lines that it wants, or the
 * disk is full, which the standard error says. Without this, Node.js ends the process with a stack trace.
 */
export function stopWithOutput(stop: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`the output cannot be written: ${error.message}\n`);
    stop();
  });
}
