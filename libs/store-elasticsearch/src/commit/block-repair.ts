import type { Client } from '@elastic/elasticsearch';
import { DataFields } from '@antelope-history/data-fields';
import { type AbiChange, type BlockRecords, isStateComplete, type PermissionChange } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { isRemovedBlock, type StoreRepairer } from '@antelope-history/store';
import { closeInTime } from '../client/client';
import { incomplete, type Query, type Searcher } from '../client/search';
import { asked } from '../client/store-errors';
import { blockTag, permissionId } from '../indices/document-ids';
import { rangeStart } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import { documentsOfNumber } from '../indices/documents-of-number';
import { type IndexNames, RANGED_KINDS, type RangedKind } from '../indices/index-names';
import type { MigrationPlans } from '../indices/migration-plan';
import { layoutOf, statusOf } from '../indices/progress';
import { withLostRange } from '../indices/restored-blocks';
import { documentsOf, type NewDocument } from '../write/block-documents';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';
import type { CommittedAbis, StoredAbi } from '../write/committed-abis';
import type { DataAbis } from '../write/data-abis';
import type { IndexProvisioner } from '../write/index-provisioner';
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
  /** Decodes data fields. */
  dataAbis: (fields: readonly string[]) => DataAbis;
  bulkBytes: number;
}

/**
 * Replaces the documents of irreversible blocks under their ids. A document without an external version replaces any other. Write
 * terms begin before, so that no writer writes one of these blocks any more: all that can write know that it is committed.
 */
export class BlockRepair implements StoreRepairer {
  /** No writer writes irreversible blocks up to this number. */
  private fencedUpTo = -1;
  /** The first blocks of ranges whose indices exist. */
  private readonly ranges = new Set<number>();

  constructor(private readonly parts: BlockRepairParts) {}

  async repairBlocks(blocks: BlockRecords[]): Promise<void> {
    if (blocks.length === 0) return;
    await this.endWritesOf(blocks);
    await this.parts.progress.countRewrite();
    for (const block of blocks) await this.repair(block);
    await this.parts.staleData.decodeAll();
    await this.parts.progress.countRewrite(blocks.map(({ position }) => position.num));
  }

  /** Once for all blocks that are irreversible by then: writers of the earlier terms have to repeat their requests. */
  private async endWritesOf(blocks: readonly BlockRecords[]): Promise<void> {
    if (blocks.every(({ position }) => position.num <= this.fencedUpTo)) return;
    const { committed, last_irreversible: irreversible } = await this.parts.terms.beginNew();
    this.fencedUpTo = Math.min(committed?.num ?? -1, irreversible?.num ?? -1);
  }

  /** Again when a data field was added meanwhile: the migration that added it may have updated the documents that were replaced. */
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
    const parents = previous && num > first ? [previous] : [];
    const stored = await this.parts.documents.storedOf(parents, progress);
    if (!isOther && stored.size === parents.length) return;
    throw new HistoryError('REPAIR_REFUSED', `block ${num} ${id} does not follow the stored block before it`);
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
    for (const documents of [early, late]) {
      await this.write(documents, block, progress);
      await this.refresh(num, progress);
    }
    if (await this.removeOthers(block, keepsState, ids, progress)) await this.refresh(num, progress);
  }

  /** Makes the indices of a range that are missing. The progress says before that queries must not read them until they are whole. */
  private async restoreRange(num: number, progress: ProgressDocument): Promise<void> {
    const start = rangeStart(num, progress);
    if (this.ranges.has(start)) return;
    if (await this.parts.indices.lacksRange(num, progress)) {
      await this.parts.progress.change((current) => withLostRange(current, num), 'note what is to be restored');
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
    progress: ProgressDocument,
  ): Promise<void> {
    const requests: BulkRequest[] = [];
    let request = new BulkRequest();
    for (const { kind, id, json } of documents) {
      request.replace(this.indexOf(kind, position.num, progress), id, json, position);
      if (request.bytes < this.parts.bulkBytes) continue;
      requests.push(request);
      request = new BulkRequest();
    }
    if (request.count > 0) requests.push(request);
    await this.parts.bulk.write(requests);
  }

  /** Deletes the documents of the block's number that are not its own, or not those of a state; returns whether there were any. */
  private async removeOthers(
    block: BlockRecords,
    keepsState: boolean,
    ids: ReadonlyMap<NewDocument['kind'], string[]>,
    progress: ProgressDocument,
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
        for (const hit of hits) request.remove(hit.index, hit.id);
        await this.parts.bulk.write([request]);
      }
    }
    return hasRemoved;
  }

  private async refresh(num: number, progress: ProgressDocument): Promise<void> {
    const index = [...RANGED_KINDS, ...STATE_KINDS].map((kind) => this.indexOf(kind, num, progress));
    const { _shards: shards } = await asked(this.parts.client.indices.refresh({ index }));
    if (shards && shards.failed > 0) throw incomplete(`${shards.failed} copies did not refresh`);
  }

  private indexOf(kind: NewDocument['kind'], num: number, progress: ProgressDocument): string {
    const isRanged = (RANGED_KINDS as readonly string[]).includes(kind);
    return isRanged ? this.parts.names.ranged(kind as RangedKind, num, progress) : this.parts.names.of(kind);
  }
}

function sets({ abiChanges }: BlockRecords, contract: string): boolean {
  return abiChanges.some(({ account }) => account === contract);
}

/** Finds the ABIs of a state that come from before the block. */
function abisOfState({ abiChanges }: BlockRecords): Query {
  const accounts = abiChanges.map(({ account }) => account);
  return { bool: { filter: [{ term: { sequence: 0 } }], must_not: [{ terms: { account: accounts } }] } };
}
