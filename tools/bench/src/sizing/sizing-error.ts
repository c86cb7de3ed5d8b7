/** A mistake in the command line or in a file that it names; the message says what to change. */
export class SizingError extends Error {}
