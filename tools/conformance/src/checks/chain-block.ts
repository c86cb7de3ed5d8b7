import { readChainBlocks, sampleFolder, type BlockAnswer } from '@antelope-history/recordings';
import { compareAnswers } from '../comparison';
import { inParallel } from '../in-parallel';
import { CHAIN_BLOCK_REASONS } from '../reasons/chain-block';
import { Tally } from '../tally';
import { REQUESTS_AT_A_TIME, type Check } from './check';

/** Ways to name a block in `block_num_or_id`. */
const SELECTORS = {
  number: (num: number) => (num % 2 === 0 ? num : String(num)),
  id: (_: number, id: string) => id,
  'upper-case id': (_: number, id: string) => id.toUpperCase(),
};

/** Every recorded answer of `/v1/chain/get_block`, by number and by id. */
export const checkChainBlocks: Check = async (chain, served) => {
  const recorded = [...readChainBlocks(sampleFolder(served.name))];
  const outcomes = [];
  for (const [way, selector] of Object.entries(SELECTORS)) {
    const tally = new Tally(`chain/get_block by ${way}`, served.name);
    const compare = async ({ blockNum, status, body }: BlockAnswer): Promise<void> => {
      const block = chain.block(blockNum);
      const ours = await served.post('/v1/chain/get_block', { block_num_or_id: selector(blockNum, block.id) });
      if (ours.status !== status) throw new Error(`block ${blockNum}: status ${ours.status}, recorded ${status}`);
      tally.add(`block ${blockNum}`, compareAnswers(body, ours.body, CHAIN_BLOCK_REASONS, { chain, block }));
    };
    await inParallel(recorded, REQUESTS_AT_A_TIME, compare);
    outcomes.push(tally.outcome());
  }
  return outcomes;
};
