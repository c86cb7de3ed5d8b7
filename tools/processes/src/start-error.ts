/** What prevents a start and what a person can do about it. The message is shown without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
