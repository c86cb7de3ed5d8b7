import { listedNumbers } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import type { Searcher } from '../client/search';
import type { BlockFields, ProgressDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';

/** The listed positions of the committed branch (`Progress.positions`). They are asked for after each commit. */
export class BranchPositions {
  /** The ids of irreversible listed blocks, by number: they never change. */
  private known = new Map<number, string>();

  constructor(
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
  ) {}

  async of(progress: ProgressDocument): Promise<BlockPosition[]> {
    const { committed, first_block_num: first = committed?.num ?? 0, last_irreversible: irreversible } = progress;
    const branch = new Map(progress.branch.map(({ num, id }) => [num, id]));
    const numbers = listedNumbers(first, committed?.num ?? -1);
    const missing = numbers.filter((num) => !branch.has(num) && !this.known.has(num));
    const found = missing.length > 0 ? await this.cleanBlocks(missing, progress) : new Map<number, string>();
    const positions = numbers.flatMap((num) => {
      const id = branch.get(num) ?? this.known.get(num) ?? found.get(num);
      return id === undefined ? [] : [{ num, id }];
    });
    this.known = new Map(
      positions.filter(({ num }) => num <= (irreversible?.num ?? 0)).map(({ num, id }) => [num, id]),
    );
    return positions;
  }

  /** The ids of blocks below the listed branch, where only the branch is stored. */
  private async cleanBlocks(
    numbers: number[],
    { clean_up_to: cleanUpTo }: ProgressDocument,
  ): Promise<Map<number, string>> {
    const { hits } = await this.searcher.search({
      index: this.names.blocks,
      filters: [{ range: { block_num: { lte: cleanUpTo } } }, { terms: { block_num: numbers } }],
      size: numbers.length,
      fetch: { _source: ['block_num', 'block'] },
    });
    return new Map(hits.map(({ _source }) => [(_source as BlockFields).block_num, (_source as BlockFields).block]));
  }
}
