/** A program that a server needs is not on this machine. */
export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError';
}
