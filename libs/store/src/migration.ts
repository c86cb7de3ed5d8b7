/** What a migration adds to a store of an earlier version, and of another `index.data_fields`. */
export interface StoreMigration {
  /** Whether it added what the positions of the history plugin need. */
  traces: boolean;
  /** The data fields that are indexed from the first block on now, and were not. */
  fields: string[];
  /** Actions of this run. */
  actions: number;
  /** False when `signal` ended it. */
  isComplete: boolean;
}

export interface MigrationProgress {
  firstBlock: number;
  /** All actions of earlier blocks have what is added. */
  block: number;
  lastBlock: number;
  /** Actions of this run. */
  actions: number;
}

/** How a migration is observed and ended. */
export interface MigrationControl {
  /** Called after each step that an interrupted migration does not repeat. */
  onProgress?(progress: MigrationProgress): void;
  /** Ends the migration after the step in progress; the next one continues there. */
  signal: AbortSignal;
}

/** The migration of a store that lacks nothing. */
export const NOTHING_MISSING: StoreMigration = { traces: false, fields: [], actions: 0, isComplete: true };
