import { CommandLineError } from '@antelope-history/processes';

/** Where the blocks come from; without one of them, from the sample chain. */
export interface SourceOptions {
  /** URL of a node's state history socket. */
  ship?: string;
  /** Folder of a recorded chain. */
  recording?: string;
}

/** Throws a `CommandLineError` unless at most one source is given, and a node as a URL of a WebSocket. */
export function checkSource({ ship, recording }: SourceOptions): void {
  if (ship !== undefined && recording !== undefined) {
    throw new CommandLineError('--ship and --recording exclude each other: give one of them.');
  }
  if (ship !== undefined && !/^wss?:\/\/[^/]/.test(ship)) {
    throw new CommandLineError(`--ship takes a URL like ws://127.0.0.1:8080, not "${ship}".`);
  }
}

/** The numbers that a port can have. */
export const PORTS = [1, 65_535] as const;
