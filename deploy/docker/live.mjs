/** `node live.mjs PORT`: ends with 0 when the app of this container answers. For images, which have no curl. */
const LIMIT_MS = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${process.argv[2]}/live`, { signal: AbortSignal.timeout(LIMIT_MS) });
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
