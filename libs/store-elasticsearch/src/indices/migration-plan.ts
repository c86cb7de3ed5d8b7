import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { undefinedIfMissing, errorTypeOf, toStoreError } from '../client/store-errors';
import type { ProgressDocument } from './documents';
import type { IndexNames } from './index-names';

/** The id of a document in the progress index, which exists from the start of a migration until its end. */
const MIGRATION_ID = 'migration';

/** What a migration adds to the actions, and how far it has come. */
export interface MigrationPlan {
  /** Whether actions get `authorizers` and `further_traces`. */
  traces: boolean;
  /** The keys of the data fields whose values actions get. */
  fields: readonly string[];
  /** All actions of earlier blocks, and those with a lower sequence, have them. */
  next_block: number;
  next_sequence: number;
}

/** Keeps the plan of the migration that has begun and not ended. The last one that begins owns it. */
export class MigrationPlans {
  private version: { if_seq_no: number; if_primary_term: number } | undefined;

  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
  ) {}

  /** Undefined when no migration has begun. */
  async read(): Promise<MigrationPlan | undefined> {
    const got = await undefinedIfMissing(this.client.get<MigrationPlan>(this.place));
    this.version = got && { if_seq_no: got._seq_no ?? 0, if_primary_term: got._primary_term ?? 0 };
    return got?._source;
  }

  /** The data fields that the store indexes, and those that a migration is adding. */
  async dataFieldsOf({ data_fields: indexed = {} }: ProgressDocument): Promise<readonly string[]> {
    const plan = await this.read();
    return [...new Set([...Object.keys(indexed), ...(plan?.fields ?? [])])].sort();
  }

  /** Replaces the plan that was read or written last. Rejects with `STORE_IN_USE` when another migration has replaced it. */
  async write(plan: MigrationPlan): Promise<void> {
    const only = this.version ?? { op_type: 'create' as const };
    try {
      const { _seq_no = 0, _primary_term = 0 } = await this.client.index({ ...this.place, ...only, document: plan });
      this.version = { if_seq_no: _seq_no, if_primary_term: _primary_term };
    } catch (error) {
      if (errorTypeOf(error) !== 'version_conflict_engine_exception') throw toStoreError(error);
      // The client repeats a request whose response was lost: the conflict may be with this very plan.
      if (isDeepStrictEqual(await this.read(), plan)) return;
      throw inUse();
    }
  }

  /** Rejects with `STORE_IN_USE` when another migration has replaced the plan that was read or written last, or has removed it. */
  async assertOwn(): Promise<void> {
    const { version } = this;
    await this.read();
    if (!isDeepStrictEqual(this.version, version)) throw inUse();
  }

  /** Removes the plan that was read or written last, if no other migration has replaced it. */
  async remove(): Promise<void> {
    if (!this.version) return;
    try {
      await this.client.delete({ ...this.place, ...this.version });
    } catch (error) {
      // The server also reports a conflict when the plan is gone: the client repeats a request whose response was lost.
      if (errorTypeOf(error) !== 'version_conflict_engine_exception') throw toStoreError(error);
    }
  }

  private get place(): { index: string; id: string } {
    return { index: this.names.progress, id: MIGRATION_ID };
  }
}

function inUse(): HistoryError {
  return new HistoryError('STORE_IN_USE', 'another migration of this store is running, or has ended meanwhile');
}
