import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { withStoreErrors, httpStatusOf, toStoreError } from '../client/store-errors';
import { type FencedBlocks, type IndexNames, RANGED_KINDS } from '../indices/index-names';

const NOT_FOUND = 404;
/** Each conflict means that another process has begun a term. */
const MAX_TRIES = 10;
/** Aliases changed per request. */
const ALIASES_AT_ONCE = 500;

/** The fence of each kind of blocks. */
export type WriteFences = Readonly<Record<FencedBlocks, WriteFence>>;

/** An index, or the write alias of an operation, does not exist: its write term has ended, or the index was deleted. */
export class MissingIndexError extends HistoryError {
  constructor(what: string) {
    super('STORE_UNAVAILABLE', what);
  }
}

/**
 * Keeps writers that act on an old progress from writing, however long ago they have read it: a process can be suspended
 * between reading the progress and sending its documents, and no clock of its own shows that.
 *
 * Time is divided into write terms. A document is written through an alias of its index that belongs to one term; the server
 * rejects it when the alias no longer exists. A writer uses the term of the progress that it has read, so once a term has begun,
 * every writer that can still write knows a progress at least as new as the one before that term. The server's own alias changes
 * are atomic: an alias of a term can be added only while that term is the current one, because the same request removes and adds
 * the alias `IndexNames.currentTerm`.
 *
 * There are two series of terms. One of blocks that a fork can still replace begins whenever blocks are cleaned. That would make
 * writers repeat their requests every few seconds while they catch up, so irreversible blocks have a series of their own: what
 * any process writes of such a block is the same, until stored blocks are rewritten (`WriteTerms`).
 */
export class WriteFence {
  /** The indices that are open to the writers of `openedTerm`. */
  private readonly opened = new Map<string, Promise<void>>();
  private openedTerm = 0;

  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    private readonly blocks: FencedBlocks,
  ) {}

  /**
   * Makes the stored term the current one in a store that has no current term: an earlier version began it. A new store has one from the
   * beginning (`IndexProvisioner`). `readTerm` reads the stored term.
   */
  async prepare(readTerm: () => Promise<number>): Promise<void> {
    if ((await this.currentTerms()).length > 0) return;
    const { progress } = this.names;
    const term = await readTerm();
    await withStoreErrors(this.client.indices.putAlias({ index: progress, name: this.currentTerm(term) }));
    // If this process was suspended before it added the term, another one has begun a later term meanwhile.
    const newest = await readTerm();
    if (newest > term) await this.begin(newest);
  }

  /** Opens indices to the writers of a term. Rejects with `MissingIndexError` when the term is not the current one. */
  open(indices: readonly string[], term: number): Promise<void> {
    if (term !== this.openedTerm) this.forget();
    this.openedTerm = term;
    const key = indices.join();
    let opened = this.opened.get(key);
    if (!opened) {
      opened = this.addAliases(indices, term);
      this.opened.set(key, opened);
      opened.catch(() => this.opened.delete(key));
    }
    return opened;
  }

  /** Forgets which indices are open: they are opened again before the next write. */
  forget(): void {
    this.opened.clear();
  }

  /**
   * Begins a term, of which the stored progress already speaks, and ends all earlier ones: resolves when their writers can no
   * longer write. Any number of processes may do so at once. Returns false when a later term has begun.
   */
  async begin(term: number): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const terms = await this.currentTerms();
      if (terms.some((each) => each > term)) return false;
      const ended = terms.filter((each) => each < term);
      const isBegun = terms.includes(term) && ended.length === 0;
      if (!isBegun && !(await this.replaceTerms(ended, term))) continue;
      this.forget();
      // An alias could be added until the earlier term ended, so those that exist now are all that there will be.
      if (await this.removeAliasesBelow(term)) return true;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the write term changed on every attempt to begin another');
  }

  private async currentTerms(): Promise<number[]> {
    const { progress } = this.names;
    const found = await withStoreErrors(this.client.indices.getAlias({ index: progress }));
    return Object.keys(found[progress]?.aliases ?? {}).flatMap((alias) => this.names.termOf(alias, this.blocks) ?? []);
  }

  private currentTerm(term: number): string {
    return this.names.currentTerm(this.blocks, term);
  }

  /**
   * Returns false when another process has changed the terms meanwhile. The removal of an earlier term must succeed, so that a
   * process that was suspended here cannot bring back its term.
   */
  private async replaceTerms(terms: readonly number[], term: number): Promise<boolean> {
    const { progress } = this.names;
    const ended = terms.map((each) => ({
      remove: { index: progress, alias: this.currentTerm(each), must_exist: true },
    }));
    return this.updateIfPresent([...ended, { add: { index: progress, alias: this.currentTerm(term) } }]);
  }

  private async addAliases(indices: readonly string[], term: number): Promise<void> {
    const { progress } = this.names;
    const current = this.currentTerm(term);
    await this.update([
      { remove: { index: progress, alias: current, must_exist: true } },
      { add: { index: progress, alias: current } },
      ...indices.map((index) => ({ add: { index, alias: this.names.writeAlias(index, this.blocks, term) } })),
    ]);
  }

  /** Returns false when another process has removed some of them meanwhile. */
  private async removeAliasesBelow(term: number): Promise<boolean> {
    const { names } = this;
    const index = [...RANGED_KINDS.map((kind) => `${names.of(kind)}-*`), names.abis, names.permissions];
    const name = `${names.prefix}-*`;
    // Otherwise a lost index would hide the aliases of all others.
    const found = await withStoreErrors(this.client.indices.getAlias({ index, name, ignore_unavailable: true }));
    const removals = Object.entries(found).flatMap(([each, { aliases }]) =>
      Object.keys(aliases)
        .filter((alias) => (names.termOf(alias, this.blocks) ?? term) < term)
        .map((alias) => ({ remove: { index: each, alias, must_exist: false } })),
    );
    for (let start = 0; start < removals.length; start += ALIASES_AT_ONCE) {
      if (!(await this.updateIfPresent(removals.slice(start, start + ALIASES_AT_ONCE)))) return false;
    }
    return true;
  }

  /** Returns false when an alias or an index that the actions name does not exist. */
  private async updateIfPresent(actions: object[]): Promise<boolean> {
    try {
      await this.update(actions);
      return true;
    } catch (error) {
      if (error instanceof MissingIndexError) return false;
      throw error;
    }
  }

  private async update(actions: object[]): Promise<void> {
    try {
      const { acknowledged } = await this.client.indices.updateAliases({ actions });
      if (!acknowledged) throw new HistoryError('STORE_UNAVAILABLE', 'a node of the cluster did not confirm an alias');
    } catch (error) {
      if (httpStatusOf(error) === NOT_FOUND) throw new MissingIndexError('the write term has ended');
      throw toStoreError(error);
    }
  }
}

/** The fences of a store. */
export function writeFencesOf(client: Client, names: IndexNames): WriteFences {
  return {
    reversible: new WriteFence(client, names, 'reversible'),
    irreversible: new WriteFence(client, names, 'irreversible'),
  };
}
