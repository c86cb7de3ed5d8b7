import { CommandLineError } from '@antelope-history/processes';

/** A mistake in the command line; the message says what to change. */
export class SizingError extends CommandLineError {}
