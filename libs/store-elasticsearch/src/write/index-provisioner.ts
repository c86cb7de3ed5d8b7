import type { Client, estypes } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { withStoreErrors, undefinedIfMissing, errorTypeOf, toStoreError } from '../client/store-errors';
import { rangeLast, type RangeLayout, rangeStart } from '../indices/block-ranges';
import type { ActionLayout, ProgressDocument } from '../indices/documents';
import { DOC_VALUES_MAPPING_VERSION, MAPPING_VERSION } from '../indices/format-version';
import { RANGED_KINDS, SINGLE_KINDS, type IndexNames, type SingleKind } from '../indices/index-names';
import { indexTemplates } from '../indices/index-templates';
import { type Tier, TIER_ATTRIBUTE, tierOf } from '../indices/index-tiers';

/** The fields of actions that an earlier version did not have. */
const ADDED_FIELDS = ['data', 'authorizers', 'further_traces', 'large_record'];

/** The single indices with documents of committed blocks: one that was lost cannot be made anew, as the others can. */
const STATE_KINDS: ReadonlySet<SingleKind> = new Set(['abis', 'permissions']);

/** Attempts of a request for all indices: each that fails met the deletion of an index, and retention deletes a few at once. */
const MAX_ATTEMPTS = 10;

/** The write terms of a new store. */
const FIRST_TERM = 0;

/** Settings of the indices that a process creates. */
export interface IndexSettings {
  replicas: number;
  /** Replicas of those that are created far behind the head. */
  catchUpReplicas: number;
  layout: ActionLayout;
}

/**
 * Creates indices, sets their replicas and drops old ones. Each index is created explicitly: automatic creation may be disabled.
 * Any number of processes may do so at once.
 */
export class IndexProvisioner {
  private readonly ready = new Map<string, Promise<void>>();
  private settledAt: string | undefined;
  private tiersDueAt = 0;

  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    private readonly settings: IndexSettings,
    private readonly tiers: readonly Tier[] = [],
  ) {}

  /** Puts the templates and creates the indices of `SINGLE_KINDS`; rejects as `ensureRange`. `progress`: undefined in a new store. */
  async prepare(progress: Pick<ProgressDocument, 'committed'> | undefined): Promise<void> {
    const templates = Object.entries(this.templates());
    await Promise.all(
      templates.map(([name, template]) => withStoreErrors(this.client.indices.putIndexTemplate({ name, ...template }))),
    );
    await this.mapActionFields();
    const others = SINGLE_KINDS.filter((kind) => !STATE_KINDS.has(kind));
    await Promise.all([this.ensureState(progress), ...others.map((kind) => this.ensureSingle(kind, false))]);
  }

  /** Creates the indices of ABIs and permissions. Rejects as `ensureRange` when one of them is missing although blocks are committed. */
  async ensureState(progress: Pick<ProgressDocument, 'committed'> | undefined): Promise<void> {
    const mustExist = progress?.committed !== undefined;
    await Promise.all([...STATE_KINDS].map((kind) => this.ensureSingle(kind, mustExist)));
  }

  private ensureSingle(kind: SingleKind, mustExist: boolean): Promise<void> {
    return this.ensure(this.names.of(kind), { replicas: this.settings.replicas, mustExist });
  }

  /** Maps the fields of actions that later versions added: in indices of an earlier one they would not be indexed. */
  async mapActionFields(): Promise<void> {
    const name = this.names.of('actions');
    const fields = this.templates()[name]?.template.mappings.properties ?? {};
    const properties = Object.fromEntries(ADDED_FIELDS.flatMap((each) => (fields[each] ? [[each, fields[each]]] : [])));
    const mapping = { index: `${name}-*`, properties, allow_no_indices: true };
    // The server lists the indices first, and fails when another process deletes one of them before it has changed them all.
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      if (await undefinedIfMissing(this.client.indices.putMapping(mapping))) return;
    }
    await withStoreErrors(this.client.indices.putMapping(mapping));
  }

  /**
   * Creates the indices of a range for a block that is written; far behind the head they may have fewer replicas at first. Rejects with
   * `STORE_REFUSED` when one of them is missing although blocks of the range are committed: a new one would hide that they are lost.
   */
  ensureRange(
    blockNum: number,
    progress: RangeLayout & Pick<ProgressDocument, 'committed'>,
    isFarBehind: boolean,
  ): Promise<void> {
    const mustExist = (progress.committed?.num ?? -1) >= rangeStart(blockNum, progress);
    return this.ensureIndices(blockNum, progress, { isFarBehind, mustExist });
  }

  /** Whether one of the indices of a range is missing. */
  async lacksRange(blockNum: number, layout: RangeLayout): Promise<boolean> {
    const indices = RANGED_KINDS.map((kind) => this.names.ranged(kind, blockNum, layout));
    return (await Promise.all(indices.map((index) => this.exists(index)))).includes(false);
  }

  /** Creates those indices of a range that are missing, for blocks that are stored again. */
  restoreRange(blockNum: number, layout: RangeLayout): Promise<void> {
    return this.ensureIndices(blockNum, layout, { isFarBehind: false, mustExist: false });
  }

  /** Creates an index of the directory unless it exists now: one that was lost is made anew. */
  ensureDirectory(index: string): Promise<void> {
    return this.createAndAlias(index, { replicas: this.settings.replicas, mustExist: false });
  }

  /** By a GET: after a HEAD request, the next request on the same connection failed in tests through a proxy (ECONNRESET). */
  async exists(index: string): Promise<boolean> {
    const found = await undefinedIfMissing(this.client.indices.getSettings({ index, name: 'index.uuid' }));
    return found !== undefined;
  }

  /** Deletes the indices of the directory that `isObsolete` names. */
  async dropDirectories(isObsolete: (index: string) => boolean): Promise<void> {
    const index = `${this.names.of('directory')}-*`;
    const found = await withStoreErrors(this.client.indices.get({ index, features: ['aliases'] }));
    for (const each of Object.keys(found).filter(isObsolete)) {
      await undefinedIfMissing(this.client.indices.delete({ index: each }));
    }
  }

  /** Forgets which indices exist, after one was found missing: they are created again on the next write. */
  forget(): void {
    this.ready.clear();
  }

  /** Forgets how indices are set, after they were deleted and made again. */
  forgetSettings(): void {
    this.settledAt = undefined;
    this.tiersDueAt = 0;
  }

  /** Adds replicas to indices created with fewer: to all when following the head, otherwise to those of earlier ranges. */
  async settleReplicas(progress: ProgressDocument, isFarBehind: boolean): Promise<void> {
    const { committed } = progress;
    if (!committed) return;
    const written = rangeStart(committed.num, progress);
    const settled = `${written} ${isFarBehind}`;
    if (this.settledAt === settled) return;
    for (const { index, firstBlock, replicas } of await this.ranges()) {
      if (replicas >= this.settings.replicas || (isFarBehind && firstBlock >= written)) continue;
      const settings = { index: { number_of_replicas: this.settings.replicas } };
      await this.set(index, settings);
    }
    this.settledAt = settled;
  }

  /**
   * Requires the tier of each range's age. New indices begin on any node: while no node has the attribute, an index stays where it
   * is.
   */
  async settleTiers(progress: ProgressDocument): Promise<void> {
    const { committed } = progress;
    if (this.tiers.length === 0 || !committed || committed.num < this.tiersDueAt) return;
    let dueAt = rangeLast(committed.num, progress) + 1;
    for (const { index, firstBlock, tier } of await this.ranges()) {
      const last = rangeLast(firstBlock, progress);
      const wanted = tierOf(last, committed.num, this.tiers);
      const changes = this.tiers.map(({ fromAge }) => last + fromAge).filter((num) => num > committed.num);
      dueAt = Math.min(dueAt, ...changes);
      if (wanted === tier) continue;
      const settings = { [`index.routing.allocation.require.${TIER_ATTRIBUTE}`]: wanted ?? null };
      await this.set(index, settings);
    }
    this.tiersDueAt = dueAt;
  }

  /** Removes indices wholly below a block from their alias, and deletes those without an alias: two calls drop an index. */
  async dropBelow(blockNum: number, layout: RangeLayout): Promise<void> {
    for (const { index, firstBlock, alias } of await this.ranges()) {
      if (rangeLast(firstBlock, layout) >= blockNum) continue;
      await undefinedIfMissing(
        alias === undefined
          ? this.client.indices.delete({ index })
          : this.client.indices.deleteAlias({ index, name: alias }),
      );
      this.ready.delete(index);
    }
  }

  /** The indices of all ranges; other indices with the same prefix are not included. */
  private async ranges(): Promise<RangeIndex[]> {
    const index = RANGED_KINDS.map((kind) => `${this.names.of(kind)}-*`);
    const found = await withStoreErrors(this.client.indices.get({ index, features: ['aliases', 'settings'] }));
    return Object.entries(found).flatMap(([name, { aliases, settings }]) => {
      const firstBlock = this.names.firstBlockOf(name);
      if (firstBlock === undefined) return [];
      const replicas = Number(settings?.index?.number_of_replicas ?? 0);
      const alias = RANGED_KINDS.map((kind) => this.names.of(kind)).find((each) => aliases?.[each] !== undefined);
      const required = settings?.index?.routing?.allocation as { require?: Record<string, string> } | undefined;
      return [{ index: name, firstBlock, replicas, alias, tier: required?.require?.[TIER_ATTRIBUTE] }];
    });
  }

  /** Another process may have deleted the index since it was listed. */
  private async set(index: string, settings: estypes.IndicesIndexSettings): Promise<void> {
    await undefinedIfMissing(this.client.indices.putSettings({ index, settings }));
  }

  private templates(): ReturnType<typeof indexTemplates> {
    return indexTemplates(this.names.prefix, this.settings);
  }

  private async ensureIndices(
    blockNum: number,
    layout: RangeLayout,
    { isFarBehind, mustExist }: { isFarBehind: boolean; mustExist: boolean },
  ): Promise<void> {
    const replicas = isFarBehind ? this.settings.catchUpReplicas : this.settings.replicas;
    await Promise.all(
      RANGED_KINDS.map((kind) =>
        this.ensure(this.names.ranged(kind, blockNum, layout), { replicas, mustExist, alias: this.names.of(kind) }),
      ),
    );
  }

  private ensure(index: string, wanted: WantedIndex): Promise<void> {
    let ready = this.ready.get(index);
    if (!ready) {
      ready = this.createAndAlias(index, wanted);
      this.ready.set(index, ready);
      ready.catch(() => this.ready.delete(index));
    }
    return ready;
  }

  /** Adds an index to its alias only when it can answer: a search of the alias fails if one of its indices fails. */
  private async createAndAlias(index: string, { replicas, mustExist, alias }: WantedIndex): Promise<void> {
    if (mustExist && !(await this.exists(index))) throw new LostIndexError(index);
    await this.create(index, replicas);
    await this.assertOurs(index);
    if (alias === undefined) return;
    await withStoreErrors(this.client.cluster.health({ index, wait_for_status: 'yellow' }));
    await withStoreErrors(this.client.indices.putAlias({ index, name: alias }));
  }

  private async create(index: string, replicas: number): Promise<void> {
    // With the index, so that the terms of a new store cannot be added after others have begun (`WriteFence`).
    const aliases = index === this.names.progress ? this.firstTerms() : {};
    try {
      await this.client.indices.create({ index, settings: { index: { number_of_replicas: replicas } }, aliases });
    } catch (error) {
      if (errorTypeOf(error) !== 'resource_already_exists_exception') throw toStoreError(error);
    }
  }

  private firstTerms(): Record<string, object> {
    return {
      [this.names.currentTerm('reversible', FIRST_TERM)]: {},
      [this.names.currentTerm('irreversible', FIRST_TERM)]: {},
    };
  }

  private async assertOurs(index: string): Promise<void> {
    const mappings = await withStoreErrors(this.client.indices.getMapping({ index }));
    const format: unknown = mappings[index]?.mappings._meta?.['format_version'];
    if (format === this.mappingVersionOf(index)) return;
    throw new HistoryError(
      'STORE_REFUSED',
      `the index ${index} has a foreign mapping: another index template matches its name`,
    );
  }

  private mappingVersionOf(index: string): number {
    const isActions = index.startsWith(`${this.names.of('actions')}-`);
    return isActions && this.settings.layout === 'doc-values' ? DOC_VALUES_MAPPING_VERSION : MAPPING_VERSION;
  }
}

/** An index of committed blocks does not exist. */
export class LostIndexError extends HistoryError {
  constructor(index: string) {
    super(
      'STORE_REFUSED',
      `the index ${index} of committed blocks is missing: restore a snapshot, or use another store.elasticsearch.index_prefix`,
    );
  }
}

interface WantedIndex {
  replicas: number;
  /** Whether it has documents of committed blocks. */
  mustExist: boolean;
  alias?: string;
}

interface RangeIndex {
  index: string;
  firstBlock: number;
  replicas: number;
  /** The alias that queries use; undefined when the index is no longer in it. */
  alias: string | undefined;
  tier: string | undefined;
}
