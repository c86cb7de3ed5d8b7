import type { AbiChange, BlockRecords } from '@antelope-history/records';
import { type FoundHit, incomplete, MAX_WINDOW, type Query, type Search, type Searcher } from '../client/search';
import { abiHash } from '../indices/abi-hash';
import { documentsOfNumber } from '../indices/documents-of-number';
import type { AbiDocument, DataAbi, ProgressDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';

/** Of a contract without an ABI. */
export const NO_ABI = '';
/** Versions of one contract that are read at once: those of orphans are among them. */
const VERSIONS_AT_ONCE = 100;
/** ABIs whose bytes are read at once: each may have half a megabyte. */
const BODIES_AT_ONCE = 20;

/** A change of a contract's ABI. */
export type CommittedAbi = Pick<AbiDocument, 'block_num' | 'sequence' | 'hash'>;

/** An ABI that is stored of a block. */
export interface StoredAbi {
  account: string;
  sequence: number;
  /** Of the bytes that are stored, which may be damaged: not that of the document. */
  hash: string;
}

/** Finds ABIs of the committed branch. */
export class CommittedAbis {
  constructor(
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
  ) {}

  /** The hash of the ABI that a contract has after all committed blocks below a number. */
  async hashBelow(contract: string, blockNum: number, progress: ProgressDocument): Promise<string> {
    for await (const { hash } of this.newestFirst(contract, blockNum - 1, progress)) return hash;
    return NO_ABI;
  }

  /** The ABIs that a contract has on the committed branch, ascending: the newest irreversible one and all later ones. */
  async reversibleOf(contract: string, progress: ProgressDocument): Promise<DataAbi[]> {
    const irreversibleNum = progress.last_irreversible?.num ?? 0;
    const found: DataAbi[] = [];
    for await (const { block_num, hash } of this.newestFirst(contract, Infinity, progress)) {
      if (found[0]?.block_num !== block_num) found.unshift({ contract, block_num, hash });
      if (block_num <= irreversibleNum) return found;
    }
    return [{ contract, block_num: -1, hash: NO_ABI }, ...found];
  }

  /** The changes of a contract's ABI in committed blocks up to a number. */
  async *newestFirst(contract: string, lastBlock: number, progress: ProgressDocument): AsyncGenerator<CommittedAbi> {
    const branch = new Set(progress.branch.map(({ id }) => id));
    const last = Math.min(lastBlock, progress.committed?.num ?? -1);
    for await (const { _source } of this.versionsOf(contract, last)) {
      const { block, block_num, sequence, hash } = _source as AbiDocument;
      if (block_num <= progress.clean_up_to || branch.has(block)) yield { block_num, sequence, hash };
    }
  }

  /** Those of orphans, too. Branches have versions of the same number and sequence: a page ends with all versions of one place. */
  private async *versionsOf(contract: string, lastBlock: number): AsyncGenerator<FoundHit> {
    let size = VERSIONS_AT_ONCE;
    let after: number[] | undefined;
    for (;;) {
      const { hits } = await this.searcher.search({
        index: this.names.abis,
        filters: [{ term: { account: contract } }, { range: { block_num: { lte: lastBlock } } }],
        sort: [{ block_num: 'desc' }, { sequence: 'desc' }],
        size,
        fetch: { _source: ['block', 'block_num', 'sequence', 'hash'] },
        ...(after && { searchAfter: after }),
      });
      if (hits.length < size) return yield* hits;
      const end = hits.at(-1)?.sort.join();
      const whole = hits.filter(({ sort }) => sort.join() !== end);
      yield* whole;
      after = whole.at(-1)?.sort ?? after;
      if (whole.length > 0) size = VERSIONS_AT_ONCE;
      else if (size < MAX_WINDOW) size = Math.min(MAX_WINDOW, 2 * size);
      else throw incomplete(`${contract} has too many ABIs in block ${end}`);
    }
  }

  /** The ABIs that are stored of a committed block. */
  async *storedOf(
    { position }: Pick<BlockRecords, 'position'>,
    progress: ProgressDocument,
  ): AsyncGenerator<StoredAbi & AbiChange> {
    let after: Search['searchAfter'];
    for (;;) {
      const { hits } = await this.searcher.search({
        index: this.names.abis,
        filters: [documentsOfNumber(position, progress)],
        sort: [{ account: 'asc' }, { sequence: 'asc' }, { hash: 'asc' }],
        size: BODIES_AT_ONCE,
        fetch: { _source: ['account', 'sequence', 'hash', 'abi'] },
        ...(after && { searchAfter: after }),
      });
      for (const { _source } of hits) {
        const { account, sequence, hash, abi: text } = _source as AbiDocument;
        after = [account, sequence, hash];
        const abi = Buffer.from(text, 'base64');
        yield { account, sequence, abi, hash: abiHash(abi) };
      }
      if (hits.length < BODIES_AT_ONCE) return;
    }
  }

  /** The bytes of an ABI of a contract by their hash; damaged ones as they are: a repair decodes anew what was decoded with them. */
  async bytesOf(contract: string, hash: string): Promise<Buffer> {
    const filters: Query[] = [{ term: { account: contract } }, { term: { hash } }];
    const { hits } = await this.searcher.search({
      index: this.names.abis,
      filters,
      size: 1,
      fetch: { _source: ['abi'] },
    });
    if (!hits[0]) throw incomplete(`the ABI ${hash} of ${contract} is missing`);
    return Buffer.from((hits[0]._source as AbiDocument).abi, 'base64');
  }
}
