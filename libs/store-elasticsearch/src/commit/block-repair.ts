import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { DataFields } from '@antelope-history/data-fields';
import { type AbiChange, type BlockRecords, isStateComplete, type PermissionChange } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import { isRemovedBlock, type StoreRepairer } from '@antelope-history/store';
import { closeInTime } from '../client/client';
import { refreshIndices } from '../client/refresh';
import type { Query, Searcher } from '../client/search';
import { blockTag, permissionId } from '../indices/document-ids';
import { rangeStart } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import { documentsOfNumber } from '../indices/documents-of-number';
import { type IndexNames, RANGED_KINDS, type RangedKind } from '../indices/index-names';
import type { MigrationPlans } from '../indices/migration-plan';
import { layoutOf, statusOf, writeTermsOf } from '../indices/progress';
import { isRestored, withLostRange } from '../indices/restored-blocks';
import { documentsOf, type NewDocument } from '../write/block-documents';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';
import type { CommittedAbis, StoredAbi } from '../write/committed-abis';
import type { DataAbis } from '../write/data-abis';
import type { IndexProvisioner } from '../write/index-provisioner';
import { MissingIndexError, type WriteFence } from '../write/write-fence';
import type { BranchDocuments } from './branch-documents';
import type { ProgressStore } from './progress-store';
import type { StaleDataRepair } from './stale-data-repair';
import type { WriteTerms } from './write-terms';

/** Documents that are no part of a block, deleted per request. */
const STRAYS_AT_ONCE = 5_000;
/** Written last: while a transaction's actions are not all visible, its body makes queries fail instead of showing a part. */
const LAST_KINDS: ReadonlySet<NewDocument['kind']> = new Set(['bodies', 'blocks']);
/** An account of every chain whose permissions no transaction changes: it is in the whole state of a chain, and in no later block. */
const ACCOUNT_OF_STATE = 'eosio.null';
const STATE_KINDS = ['abis', 'permissions'] as const;
/** Each attempt after the first means that another repair or a migration has begun, or that an index was deleted meanwhile. */
const MAX_TRIES = 10;

export interface BlockRepairParts {
  client: Client;
  names: IndexNames;
  progress: ProgressStore;
  searcher: Searcher;
  bulk: BulkWriter;
  documents: BranchDocuments;
  indices: IndexProvisioner;
  plans: MigrationPlans;
  abis: CommittedAbis;
  staleData: StaleDataRepair;
  terms: WriteTerms;
  /** That of irreversible blocks. */
  fence: WriteFence;
  /** Decodes data fields. */
  dataAbis: (fields: readonly string[]) => DataAbis;
  bulkBytes: number;
  /** How long queries go on that do not know yet that a range is being restored. */
  restoreAfterMs: number;
}

/**
 * Replaces the documents of irreversible blocks under their ids: a document without an external version replaces any other. New write
 * terms begin before, so that all writers that can still write know that these blocks are committed, and do not write them. Repairs write
 * in these terms, too: one that was suspended cannot replace what a later repair or a migration has written.
 */
export class BlockRepair implements StoreRepairer {
  /** No writer writes irreversible blocks up to this number. */
  private fencedUpTo = -1;
  /** The first blocks of ranges whose indices exist. */
  private readonly ranges = new Set<number>();
  /** What `beginRewrite` has returned. */
  private begun: string[] = [];

  constructor(private readonly parts: BlockRepairParts) {}

  async repairBlocks(blocks: BlockRecords[]): Promise<void> {
    if (blocks.length === 0) return;
    const { progress, staleData } = this.parts;
    await this.endWritesOf(blocks);
    this.begun.push(await progress.beginRewrite());
    const repaired: number[] = [];
    try {
      for (const block of blocks) {
        await this.repairInTerm(block);
        repaired.push(block.position.num);
      }
      await staleData.decodeAll();
    } catch (error) {
      // If this fails, the next repair ends it.
      await progress.endRewrites(this.begun, repaired).catch(() => undefined);
      throw error;
    }
    await progress.endRewrites(this.begun, repaired);
    this.begun = [];
  }

  /** Once for all blocks that are irreversible by then: writers of the earlier terms have to repeat their requests. */
  private async endWritesOf(blocks: readonly BlockRecords[]): Promise<void> {
    if (blocks.every(({ position }) => position.num <= this.fencedUpTo)) return;
    const { committed, last_irreversible: irreversible } = await this.parts.terms.beginNew();
    this.fencedUpTo = Math.min(committed?.num ?? -1, irreversible?.num ?? -1);
  }

  /**
   * Repairs a block, and again when the term has ended, because what this process has read before may be old. Leaves a block out that is
   * removed meanwhile.
   */
  private async repairInTerm(block: BlockRecords): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.repair(block);
        return;
      } catch (error) {
        const { progress } = await this.parts.progress.require();
        if (isRemovedBlock(block.position.num, statusOf(progress))) return;
        const isToRepeat = error instanceof MissingIndexError || (await this.hasLost(block.position, progress));
        if (!isToRepeat || tries === MAX_TRIES) throw error;
        await this.reopen();
      }
    }
  }

  /** Whether an index that this process has found or made was deleted since: requests fail that refresh or read it. */
  private async hasLost({ num }: BlockPosition, progress: ProgressDocument): Promise<boolean> {
    return this.ranges.has(rangeStart(num, progress)) && (await this.parts.indices.lacksRange(num, progress));
  }

  private async reopen(): Promise<void> {
    const { indices, terms, progress } = this.parts;
    this.ranges.clear();
    indices.forget();
    await terms.resume();
    // The repair that has begun the term may have ended the rewrite of this one, as that of a killed process.
    this.begun.push(await progress.beginRewrite());
  }

  /**
   * Replaces the documents of a block, and again when a data field was added meanwhile: the migration that added it may have updated the
   * documents that were replaced.
   */
  private async repair(block: BlockRecords): Promise<void> {
    let written: readonly string[] | undefined;
    for (;;) {
      const { progress } = await this.parts.progress.require();
      if (isRemovedBlock(block.position.num, statusOf(progress))) return;
      const fields = await this.parts.plans.dataFieldsOf(progress);
      if (fields.join() === written?.join()) return;
      await this.assertReplaceable(block, progress);
      const { contracts } = new DataFields(fields);
      const keepsState = await this.keepsState(block, progress);
      const stored: StoredAbi[] = [];
      const kept: AbiChange[] = [];
      for await (const { account, sequence, abi, hash } of this.parts.abis.storedOf(block, progress)) {
        const isKept = keepsState && sequence === 0 && !sets(block, account);
        if (!isKept) stored.push({ account, sequence, hash });
        else if (contracts.has(account)) kept.push({ account, sequence, abi });
      }
      await this.parts.staleData.note(block, stored, progress);
      const whole = { ...block, abiChanges: [...block.abiChanges, ...kept] };
      await this.replace(whole, keepsState, fields, progress);
      written = fields;
    }
  }

  async close(): Promise<void> {
    await closeInTime(() => this.parts.client.close());
  }

  private async assertReplaceable({ position, previous }: BlockRecords, progress: ProgressDocument): Promise<void> {
    const { num, id } = position;
    const { committed, last_irreversible: irreversible, first_block_num: first = 0, branch } = progress;
    if (num > Math.min(committed?.num ?? -1, irreversible?.num ?? -1)) {
      throw new HistoryError('REPAIR_REFUSED', `block ${num} is not irreversible yet`);
    }
    const isOther = branch.some((each) => each.num === num && each.id !== id);
    const parent = num > first ? previous : undefined;
    if (!isOther && (!parent || (await this.isStoredOrLost(parent, progress)))) return;
    throw new HistoryError('REPAIR_REFUSED', `block ${num} ${id} does not follow the stored block before it`);
  }

  /** Whether a block is stored, or was lost with an index and no other one of its number is stored: nothing contradicts it then. */
  private async isStoredOrLost(block: BlockPosition, progress: ProgressDocument): Promise<boolean> {
    const { names, indices, documents, searcher } = this.parts;
    const index = names.ranged('blocks', block.num, progress);
    const isMade = this.ranges.has(rangeStart(block.num, progress)) || (await indices.exists(index));
    if (!isMade) return true;
    if ((await documents.storedOf([block], progress)).size > 0) return true;
    if (isRestored({ first: block.num, last: block.num }, progress)) return false;
    const { hits } = await searcher.search({ index, filters: [documentsOfNumber(block, progress)], size: 1 });
    return hits.length === 0;
  }

  /** Whether the block is stored with the whole state of a snapshot, which the node that the block comes from now does not send. */
  private async keepsState(block: BlockRecords, progress: ProgressDocument): Promise<boolean> {
    if (isStateComplete(block)) return false;
    const { hits } = await this.parts.searcher.search({
      index: this.parts.names.permissions,
      filters: [documentsOfNumber(block.position, progress), { term: { owner: ACCOUNT_OF_STATE } }],
      size: 1,
    });
    return hits.length > 0;
  }

  private async replace(
    block: BlockRecords,
    keepsState: boolean,
    fields: readonly string[],
    progress: ProgressDocument,
  ): Promise<void> {
    const { num } = block.position;
    await this.restoreRange(num, progress);
    const superseded = await this.supersededPermissions(block, progress);
    const ids = new Map<NewDocument['kind'], string[]>();
    const early: NewDocument[] = [];
    const late: NewDocument[] = [];
    const data = await this.parts.dataAbis(fields).decodeStored(block, progress);
    for (const document of documentsOf(block, { data, areAbisAssumed: false }, layoutOf(progress))) {
      const { kind, id } = document;
      const ofKind = ids.get(kind);
      if (ofKind) ofKind.push(id);
      else ids.set(kind, [id]);
      if (!superseded.has(id)) (LAST_KINDS.has(kind) ? late : early).push(document);
    }
    const aliasOf = await this.openIndices(num, progress);
    for (const documents of [early, late]) {
      await this.write(documents, block, (kind) => aliasOf(this.indexOf(kind, num, progress)));
      await this.refresh(num, progress);
    }
    if (await this.removeOthers(block, keepsState, ids, { progress, aliasOf })) await this.refresh(num, progress);
  }

  /** Opens the indices of a block in the term of the progress; the function returns the alias of one of them. */
  private async openIndices(num: number, progress: ProgressDocument): Promise<(index: string) => string> {
    const term = writeTermsOf(progress).irreversible;
    await this.parts.fence.open(this.indicesOf(num, progress), term);
    return (index) => this.parts.names.writeAlias(index, 'irreversible', term);
  }

  /**
   * Makes the indices of a range that are missing. The progress says before that queries must not read them until they are whole; those
   * that have read an earlier progress fail, or have ended, until they are made.
   */
  private async restoreRange(num: number, progress: ProgressDocument): Promise<void> {
    const start = rangeStart(num, progress);
    if (this.ranges.has(start)) return;
    if (await this.parts.indices.lacksRange(num, progress)) {
      await this.parts.progress.change((current) => withLostRange(current, num), 'note what is to be restored');
      await sleep(this.parts.restoreAfterMs);
    }
    await this.parts.indices.restoreRange(num, progress);
    this.ranges.add(start);
  }

  /** The ids of permissions that a later block has changed: they were deleted, or are about to be (`PermissionCleaner`). */
  private async supersededPermissions(block: BlockRecords, progress: ProgressDocument): Promise<Set<string>> {
    const { position, permissionChanges } = block;
    const later: Query = { range: { block_num: { gt: position.num, lte: progress.clean_up_to } } };
    const found = await this.parts.searcher.searchAll(
      permissionChanges.map(({ owner, name }: PermissionChange) => ({
        index: this.parts.names.permissions,
        filters: [{ term: { owner } }, { term: { name } }, later] satisfies Query[],
        size: 1,
      })),
    );
    const tag = blockTag(position);
    return new Set(
      permissionChanges.flatMap(({ owner, name }, index) =>
        (found[index]?.hits.length ?? 0) > 0 ? [permissionId(tag, owner, name)] : [],
      ),
    );
  }

  private async write(
    documents: readonly NewDocument[],
    { position }: BlockRecords,
    targetOf: (kind: NewDocument['kind']) => string,
  ): Promise<void> {
    const requests: BulkRequest[] = [];
    let request = newRequest();
    for (const { kind, id, json } of documents) {
      request.replace(targetOf(kind), id, json, position);
      if (request.bytes < this.parts.bulkBytes) continue;
      requests.push(request);
      request = newRequest();
    }
    if (request.count > 0) requests.push(request);
    await this.parts.bulk.write(requests);
  }

  /** Deletes the documents of the block's number that are not its own, or not those of a state; returns whether there were any. */
  private async removeOthers(
    block: BlockRecords,
    keepsState: boolean,
    ids: ReadonlyMap<NewDocument['kind'], string[]>,
    { progress, aliasOf }: { progress: ProgressDocument; aliasOf: (index: string) => string },
  ): Promise<boolean> {
    const { num } = block.position;
    const ofNumber = documentsOfNumber(block.position, progress);
    let hasRemoved = false;
    for (const kind of [...RANGED_KINDS, ...STATE_KINDS]) {
      const index = this.indexOf(kind, num, progress);
      const own: Query = { ids: { values: ids.get(kind) ?? [] } };
      if (keepsState && kind === 'permissions') continue;
      const ofState = keepsState && kind === 'abis' ? [abisOfState(block)] : [];
      const search = { index, filters: [ofNumber, { bool: { must_not: [own, ...ofState] } }], size: STRAYS_AT_ONCE };
      for (;;) {
        const { hits } = await this.parts.searcher.search(search);
        if (hits.length === 0) break;
        hasRemoved = true;
        const request = new BulkRequest();
        request.visibleAtOnce = true;
        for (const hit of hits) request.remove(aliasOf(hit.index), hit.id);
        await this.parts.bulk.write([request]);
      }
    }
    return hasRemoved;
  }

  private async refresh(num: number, progress: ProgressDocument): Promise<void> {
    await refreshIndices(this.parts.client, this.indicesOf(num, progress));
  }

  private indicesOf(num: number, progress: ProgressDocument): string[] {
    return [...RANGED_KINDS, ...STATE_KINDS].map((kind) => this.indexOf(kind, num, progress));
  }

  private indexOf(kind: NewDocument['kind'], num: number, progress: ProgressDocument): string {
    const isRanged = (RANGED_KINDS as readonly string[]).includes(kind);
    return isRanged ? this.parts.names.ranged(kind as RangedKind, num, progress) : this.parts.names.of(kind);
  }
}

function newRequest(): BulkRequest {
  const request = new BulkRequest();
  request.requiresAliases = true;
  return request;
}

function sets({ abiChanges }: BlockRecords, contract: string): boolean {
  return abiChanges.some(({ account }) => account === contract);
}

/** Finds the ABIs of a state that come from before the block. */
function abisOfState({ abiChanges }: BlockRecords): Query {
  const accounts = abiChanges.map(({ account }) => account);
  return { bool: { filter: [{ term: { sequence: 0 } }], must_not: [{ terms: { account: accounts } }] } };
}
