import { HistoryError } from '@antelope-history/schemas/errors';

/** What to do about a system's code, with which a server cannot listen. */
const REASONS: Partial<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or choose another port',
  EACCES: 'this user has no permission for this port; choose one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; choose one of its own, or 0.0.0.0 for all of them',
  ENOTFOUND: 'the host name is not known; choose an address of this machine',
  EAI_AGAIN: 'the host name cannot be looked up now; choose an address of this machine',
};

export function listenError({ host, port }: { host: string; port: number }, cause: Error): HistoryError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new HistoryError('CONFIG_INVALID', `cannot listen on ${host}:${port}: ${REASONS[code] ?? code}`, { cause });
}
