/** `node live.mjs PORT`: exits with 0 when the app of this container is live. The base image has no curl. */
const LIMIT_MS = 4_000;

try {
  const response = await fetch(`http://127.0.0.1:${process.argv[2]}/live`, { signal: AbortSignal.timeout(LIMIT_MS) });
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
