import { createServer, type AddressInfo } from 'node:net';

/** Listens on an address and closes again. Resolves with the port, which is a free one for 0, or with the system's code of the failure. */
export async function tryToListen(host: string, port: number): Promise<{ port: number } | { code: string }> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
  const { port: listening } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port: listening };
}
