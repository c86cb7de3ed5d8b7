import { branchOf, ChainModel, type CommittedState, generateChain } from '@antelope-history/chain-generator';
import { BlockOffers } from './block-offers';
import { CommittedStates } from './committed-states';
import { drawRetention, FirstBlocks } from './first-blocks';
import { seedRange } from './seed-size';

const RETAINED = 6;

describe('FirstBlocks', () => {
  const chain = generateChain(1, { blocks: 60, forkPercent: 30, lag: 4, isSnapshot: false });
  const model = new ChainModel(chain);
  const branch = branchOf(chain.tip, chain.first);
  const forkAt = branch.findIndex(({ parent }) =>
    chain.blocks.some((other) => other.parent === parent && !branch.includes(other)),
  );
  const orphan = chain.blocks.find((block) => block.parent === branch[forkAt - 1] && !branch.includes(block))!;
  const irreversibleNum = chain.tip.lastIrreversible;

  function started(retainBlocks = RETAINED): { firsts: FirstBlocks; states: CommittedStates; offers: BlockOffers } {
    const offers = new BlockOffers(chain);
    for (const block of branch) offers.holds(block);
    const states = new CommittedStates(model, offers);
    return { firsts: new FirstBlocks({ chain, model, offers, retainBlocks }), states, offers };
  }

  /** What a response says that is right in one state with some first blocks. */
  function narrow(
    { firsts, states }: ReturnType<typeof started>,
    { state, first }: { state: CommittedState; first: readonly number[] },
  ): boolean {
    const at = { now: states.now, first: firsts.now };
    return firsts.narrow(states, at, (each, num) => each === state && first.includes(num));
  }

  it('go up to the last irreversible block, or to the first of the newest blocks', () => {
    const { firsts } = started();
    const at = (num: number): number[] => firsts.of(branch[num - 1], 1);
    expect(firsts.of(undefined, 1)).toEqual([1]);
    expect(at(RETAINED)).toEqual([1]);
    expect(at(RETAINED + 2)).toEqual([1, 2, 3]);
    expect(firsts.highest).toBe(Math.min(chain.tip.num - RETAINED + 1, irreversibleNum));
    expect(started(1).firsts.highest).toBe(irreversibleNum);
    expect(started(0).firsts.of(chain.tip, 1)).toEqual([1]);
  });

  it('may be those of a higher block when a node has had another branch', () => {
    const { firsts, offers } = started();
    const state = branch[RETAINED + 1];
    offers.holds(orphan);
    expect(firsts.of(state, 1).length).toBe(forkAt < RETAINED + 2 ? firsts.highest : 3);
    expect(firsts.of(orphan, 1).at(-1)).toBe(firsts.highest);
  });

  it('may be those of a higher block in the state in which two branches begin', () => {
    const { firsts, offers } = started();
    const forkPoint = branch[forkAt - 1];
    const highest = forkPoint!.num - RETAINED + 1;
    expect(firsts.of(forkPoint, 1).at(-1)).toBe(Math.max(1, highest));
    offers.holds(orphan);
    expect(firsts.of(forkPoint, 1).at(-1)).toBe(firsts.highest);
  });

  it('rise with the responses, and never fall', () => {
    const parts = started();
    const state = branch[RETAINED + 4];
    expect(narrow(parts, { state, first: [2, 3, 4] })).toBe(true);
    expect(parts.firsts.now).toBe(2);
    expect(narrow(parts, { state, first: [1, 2, 4] })).toBe(true);
    expect(narrow(parts, { state, first: [4] })).toBe(true);
    expect(parts.firsts.now).toBe(4);
    expect(narrow(parts, { state, first: [1, 2, 3] })).toBe(false);
    expect(narrow(parts, { state: chain.tip, first: [3] })).toBe(false);
    expect(narrow(parts, { state: chain.tip, first: [5, 9] })).toBe(true);
    expect(parts.firsts.now).toBe(5);
  });

  it('are not above those of the state', () => {
    const parts = started();
    expect(narrow(parts, { state: branch[RETAINED + 4], first: [7] })).toBe(false);
    expect(narrow(parts, { state: branch[RETAINED + 5], first: [7] })).toBe(true);
  });

  it('rise in some of the seeds, always the same', () => {
    const drawn = seedRange(1, 300).map(drawRetention);
    const retaining = drawn.filter((blocks) => blocks > 0);
    expect(drawn).toEqual(seedRange(1, 300).map(drawRetention));
    expect(retaining.length).toBeGreaterThan(60);
    expect(retaining.length).toBeLessThan(150);
    expect(new Set(retaining).size).toBe(10);
  });
});
