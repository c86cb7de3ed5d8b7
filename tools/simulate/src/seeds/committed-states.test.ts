import { branchOf, ChainModel, generateChain } from '@antelope-history/chain-generator';
import { BlockOffers } from './block-offers';
import { CommittedStates } from './committed-states';

describe('CommittedStates', () => {
  const chain = generateChain(1, { blocks: 60, forkPercent: 30, lag: 8, isSnapshot: false });
  const model = new ChainModel(chain);
  const branch = branchOf(chain.tip, chain.first);
  const fork = branch.find(({ parent }) =>
    chain.blocks.some((other) => other.parent === parent && !branch.includes(other)),
  )!;
  const orphan = chain.blocks.find((block) => block.parent === fork.parent && !branch.includes(block))!;

  function started(): { states: CommittedStates; offers: BlockOffers } {
    const offers = new BlockOffers(chain);
    return { states: new CommittedStates(model, offers), offers };
  }

  const isShown = (states: CommittedStates, state: object | undefined): boolean =>
    states.narrow(states.now, (each) => each === state);

  it('go forward over blocks that a node has, and never back', () => {
    const { states, offers } = started();
    for (const block of branch.slice(0, 5)) offers.holds(block);
    expect(isShown(states, branch[2])).toBe(true);
    expect(isShown(states, branch[1])).toBe(false);
    expect(isShown(states, branch[5])).toBe(false);
    expect(isShown(states, branch[4])).toBe(true);
  });

  it('go to another branch when a node has gone there', () => {
    const { states, offers } = started();
    for (const block of branchOf(orphan, chain.first)) offers.holds(block);
    expect(isShown(states, orphan)).toBe(true);
    expect(isShown(states, fork)).toBe(false);
    expect(isShown(states, fork.parent)).toBe(false);
    offers.leaves(orphan);
    offers.holds(fork);
    expect(isShown(states, fork.parent)).toBe(true);
    expect(isShown(states, fork)).toBe(true);
  });

  it('do not return to a branch that all nodes had left before', async () => {
    const { states, offers } = started();
    for (const block of branchOf(orphan, chain.first)) offers.holds(block);
    offers.leaves(orphan);
    await new Promise((resolve) => setTimeout(resolve, 2));
    offers.holds(fork);
    expect(isShown(states, fork)).toBe(true);
    expect(isShown(states, orphan)).toBe(false);
  });

  it('go to a branch of a node that lags behind, and return to blocks that were shown before', () => {
    const { states, offers } = started();
    const shown = branch.slice(0, branch.indexOf(fork) + 4);
    for (const block of shown) offers.holds(block);
    expect(isShown(states, shown.at(-1))).toBe(true);
    expect(isShown(states, fork)).toBe(false);
    offers.holds(orphan);
    expect(isShown(states, fork)).toBe(true);
    expect(isShown(states, fork.parent?.parent)).toBe(false);
  });
});
