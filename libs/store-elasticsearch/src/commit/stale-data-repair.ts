import { isDeepStrictEqual } from 'node:util';
import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { DataFields, valuesOf } from '@antelope-history/data-fields';
import { type BlockRecords, decodeActionRecord } from '@antelope-history/records';
import { refreshIndices } from '../client/refresh';
import type { Query, Searcher } from '../client/search';
import { abiHash } from '../indices/abi-hash';
import { rangeLast } from '../indices/block-ranges';
import type { ProgressDocument, StaleData } from '../indices/documents';
import { type Chunk, eachOf, findActions, type ListedAction } from '../indices/found-actions';
import type { IndexNames } from '../indices/index-names';
import type { MigrationPlans } from '../indices/migration-plan';
import { isOnBranch, layoutOf } from '../indices/progress';
import { changedActionJson } from '../write/action-json';
import { BulkRequest } from '../write/bulk-request';
import { type BulkWriter, ConflictError } from '../write/bulk-writer';
import type { CommittedAbi, CommittedAbis, StoredAbi } from '../write/committed-abis';
import type { IndexProvisioner } from '../write/index-provisioner';
import type { ProgressStore } from './progress-store';
import type { WriteTerms } from './write-terms';

/** Each conflict means that another process has changed an action of the range. */
const MAX_TRIES = 50;

export interface StaleDataParts {
  names: IndexNames;
  progress: ProgressStore;
  searcher: Searcher;
  bulk: BulkWriter;
  plans: MigrationPlans;
  abis: CommittedAbis;
  indices: IndexProvisioner;
  terms: WriteTerms;
  bulkBytes: number;
}

/** The blocks of one range, or of a part of it. */
interface Part {
  contract: string;
  first: number;
  last: number;
}

/**
 * Decodes the indexed data of actions again where a repair replaces the ABI that was in force at them. The progress names them from
 * before an ABI is replaced until they are right, so that any later repair continues.
 */
export class StaleDataRepair {
  constructor(private readonly parts: StaleDataParts) {}

  /**
   * Adds to the progress what is decoded with ABIs that replacing a committed block changes. Call it before they change. Of all contracts:
   * an indexer may begin to index a field of any contract before they have changed. `stored`: the ABIs that are stored of the block.
   */
  async note(block: BlockRecords, stored: readonly StoredAbi[], progress: ProgressDocument): Promise<void> {
    const right = block.abiChanges.map(({ account, sequence, abi }) => ({ account, sequence, hash: abiHash(abi) }));
    const changed = new Set([...lacking(stored, right), ...lacking(right, stored)]);
    const stale: StaleData[] = [];
    for (const contract of changed) stale.push(await this.staleAfter(contract, block.position.num, progress));
    if (stale.length === 0) return;
    await this.parts.progress.change(
      (current) => ({ ...current, stale_data: [...(current.stale_data ?? []), ...stale] }),
      'note stale data',
    );
  }

  /** Decodes what the progress names; resolves when it names nothing. */
  async decodeAll(): Promise<void> {
    if (!(await this.current()).stale_data) return;
    await this.refuseEarlier();
    // A repair that was killed may have replaced ABIs that no search finds yet.
    await refreshIndices(this.parts.searcher.client, this.parts.names.abis);
    for (;;) {
      const [stale] = (await this.current()).stale_data ?? [];
      if (!stale) return;
      await this.decodeNext(stale);
    }
  }

  /**
   * Refuses blocks that were decoded before, and has committers and writers find the ABIs in the indices. Write terms begin: a writer
   * that was suspended with blocks that are committed since would replace what is decoded again.
   */
  private async refuseEarlier(): Promise<void> {
    await this.parts.terms.beginNew((progress) => {
      const stale = new Set(progress.stale_data?.map(({ contract }) => contract));
      return {
        ...progress,
        abi_rewrites: (progress.abi_rewrites ?? 0) + 1,
        data_abis: progress.data_abis?.filter(({ contract }) => !stale.has(contract)),
      };
    });
  }

  /** From a block that changes the ABI on, up to the block with the next change, which may follow actions. */
  private async staleAfter(contract: string, num: number, progress: ProgressDocument): Promise<StaleData> {
    let last: number | undefined;
    for await (const { block_num: changed } of this.parts.abis.newestFirst(contract, Infinity, progress)) {
      if (changed <= num) break;
      last = changed;
    }
    return { contract, first: num, ...(last !== undefined && { last }) };
  }

  /** Decodes the actions of one range. Blocks that are committed meanwhile are right. */
  private async decodeNext(stale: StaleData): Promise<void> {
    const progress = await this.current();
    const { contract } = stale;
    const first = Math.max(stale.first, progress.first_block_num ?? 0);
    const end = Math.min(stale.last ?? Infinity, progress.committed?.num ?? 0);
    const isIndexed = new DataFields(await this.parts.plans.dataFieldsOf(progress)).contracts.has(contract);
    // What is indexed from now on is decoded with the new ABIs.
    const last = isIndexed ? Math.min(end, rangeLast(first, progress)) : end;
    if (isIndexed && first <= last) await this.decodePart({ contract, first, last });
    const rest = last < end ? [{ ...stale, first: last + 1 }] : [];
    await this.parts.progress.change(({ stale_data: all = [], ...current }) => {
      const left = all.flatMap((each) => (isDeepStrictEqual(each, stale) ? rest : [each]));
      return { ...current, ...(left.length > 0 && { stale_data: left }) };
    }, 'note what is decoded');
  }

  /**
   * Decodes a part, and again when a data field was added meanwhile (see `BlockRepair`) or an action was changed. An index that was lost
   * or removed meanwhile has nothing to decode: what is stored in it again is decoded with the new ABIs.
   */
  private async decodePart(part: Part): Promise<void> {
    let decoded: readonly string[] | undefined;
    for (let tries = 1; ;) {
      const progress = await this.current();
      const fields = await this.parts.plans.dataFieldsOf(progress);
      if (fields.join() === decoded?.join()) return;
      try {
        await this.decodeActions(part, new DataFields(fields), progress);
        decoded = fields;
      } catch (error) {
        if (!(await this.parts.indices.exists(this.indexOf(part, progress)))) return;
        if (!(error instanceof ConflictError) || tries++ === MAX_TRIES) throw error;
      }
    }
  }

  private async decodeActions(part: Part, fields: DataFields, progress: ProgressDocument): Promise<void> {
    const { contract, first, last } = part;
    if (!fields.contracts.has(contract)) return;
    const index = this.indexOf(part, progress);
    await refreshIndices(this.parts.searcher.client, index);
    const filters: Query[] = [{ term: { contract } }, { range: { block_num: { gte: first, lte: last } } }];
    const list = { index, filters, order: 'asc', withVersion: true } as const;
    const actions = findActions(this.parts.searcher, layoutOf(progress), list, Infinity);
    await this.parts.bulk.write(this.requestsOf(actions, await this.decodersOf(part, progress), fields, progress));
    await refreshIndices(this.parts.searcher.client, index);
  }

  private async *requestsOf(
    chunks: AsyncIterable<Chunk<ListedAction>>,
    decoders: Decoders,
    fields: DataFields,
    progress: ProgressDocument,
  ): AsyncGenerator<BulkRequest> {
    const layout = layoutOf(progress);
    let request = newRequest();
    for await (const { document, version } of eachOf(chunks)) {
      const { blockNum: num, block: id, sequence } = document;
      const action = decodeActionRecord(document.record, document.firstSequence);
      const ofAction = fields.of(action.account, action.name);
      if (ofAction.length === 0 || (num > progress.clean_up_to && !isOnBranch({ num, id }, progress))) continue;
      const decoder = await decoders.at(num, sequence);
      const values = valuesOf(ofAction, decoder?.decodeAction(action.name, action.data));
      request.replaceSame(version, changedActionJson(document, action, values, layout), { num, id });
      if (request.bytes < this.parts.bulkBytes) continue;
      yield request;
      request = newRequest();
    }
    if (request.count > 0) yield request;
  }

  private async decodersOf({ contract, first, last }: Part, progress: ProgressDocument): Promise<Decoders> {
    const versions: CommittedAbi[] = [];
    for await (const version of this.parts.abis.newestFirst(contract, last, progress)) {
      versions.push(version);
      if (version.block_num < first) break;
    }
    return new Decoders(contract, versions, this.parts.abis);
  }

  private indexOf({ first }: Part, progress: ProgressDocument): string {
    return this.parts.names.ranged('actions', first, progress);
  }

  private async current(): Promise<ProgressDocument> {
    return (await this.parts.progress.require()).progress;
  }
}

/** The decoders of a contract's ABIs for ascending actions; keeps one, which may take megabytes. */
class Decoders {
  private newest: { hash: string; decoder: AbiDecoder | undefined } | undefined;

  /** `versions`: the newest first; those before the last action are dropped. */
  constructor(
    private readonly contract: string,
    private readonly versions: CommittedAbi[],
    private readonly abis: CommittedAbis,
  ) {}

  /** An ABI is in force after the action that set it; with sequence 0 it is in force from the beginning of the block. */
  async at(blockNum: number, sequence: number): Promise<AbiDecoder | undefined> {
    const isInForce = (version: CommittedAbi | undefined): version is CommittedAbi =>
      version !== undefined &&
      (version.block_num < blockNum || (version.block_num === blockNum && version.sequence < Math.max(1, sequence)));
    while (isInForce(this.versions.at(-2))) this.versions.pop();
    const version = this.versions.at(-1);
    if (!isInForce(version)) return undefined;
    if (this.newest?.hash !== version.hash) {
      const decoder = createAbiDecoder(await this.abis.bytesOf(this.contract, version.hash));
      this.newest = { hash: version.hash, decoder };
    }
    return this.newest.decoder;
  }
}

function newRequest(): BulkRequest {
  const request = new BulkRequest();
  request.failsOnConflict = true;
  return request;
}

/** The contracts of the ABIs that others lack. */
function lacking(abis: readonly StoredAbi[], others: readonly StoredAbi[]): string[] {
  const keyOf = ({ account, sequence, hash }: StoredAbi): string => `${account} ${sequence} ${hash}`;
  const known = new Set(others.map(keyOf));
  return abis.filter((abi) => !known.has(keyOf(abi))).map(({ account }) => account);
}
