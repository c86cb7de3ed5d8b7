import { BlockProver, provableRecords } from '@antelope-history/block-proof';
import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import { testSize } from '@antelope-history/test-support/random';
import type { GeneratedBlock } from './generated-block';
import { branchOf, generateChain } from './generated-chain';

const SEEDS = Array.from({ length: testSize({ usual: 8, long: 60 }) }, (_, index) => index + 1);

describe('a generated chain', () => {
  it('is the same for the same seed', () => {
    const [first, again] = [generateChain(7), generateChain(7)];
    expect(again.blocks.map(({ id }) => id)).toEqual(first.blocks.map(({ id }) => id));
    expect(again.nodes.map(({ messages }) => messages)).toEqual(first.nodes.map(({ messages }) => messages));
  });

  it.each(SEEDS)('has ids and roots that the service computes as well (seed %i)', (seed) => {
    const { abiFrame, nodes, first } = generateChain(seed);
    const protocol = createShipProtocol(abiFrame);
    const prover = new BlockProver();
    let proved = 0;
    for (const { messages, isWhole } of nodes.filter((node) => node.isWhole)) {
      for (const message of messages) {
        const result = protocol.readResult(message);
        if (result.kind !== 'blocks' || !isWhole) throw new Error('not a block');
        const block = provableRecords(deserializeBlock(result.blocks, protocol));
        const { faults, areActionsProved } = block ? prover.prove(block) : { faults: [], areActionsProved: false };
        expect(faults).toEqual([]);
        if (areActionsProved) proved++;
      }
    }
    expect(proved).toBeGreaterThan(nodes[0]!.messages.length - 3);
    expect(first.num).toBeGreaterThan(0);
  });

  it.each(SEEDS)('forks above what was irreversible only, and ends on one branch (seed %i)', (seed) => {
    const { nodes, tip, blocks } = generateChain(seed);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length);
    for (const { blocks: stream } of nodes.filter(({ isWhole }) => isWhole)) {
      expect(stream.at(-1)).toBe(tip);
      let irreversible = 0;
      for (const [index, block] of stream.entries()) {
        if (index > 0) expect(stream).toContain(block.parent as GeneratedBlock);
        expect(block.num).toBeGreaterThan(irreversible);
        irreversible = Math.max(irreversible, index > 0 ? block.lastIrreversible : 0);
      }
    }
  });

  it.each(SEEDS)('ends with twelve blocks that all nodes have one after another (seed %i)', (seed) => {
    const { nodes, tip, first } = generateChain(seed);
    const last = branchOf(tip, first).slice(-12);
    for (const { blocks } of nodes) expect(blocks.slice(-12)).toEqual(last);
  });

  it('goes back by thousands of blocks while the last irreversible block stands still', () => {
    const { tip, blocks, first } = generateChain(3, { deepFork: 300, blocks: 20 });
    const branch = new Set(branchOf(tip, first));
    expect(blocks.filter((block) => !branch.has(block)).length).toBeGreaterThanOrEqual(300);
  });

  it('has a node that lacks a log, which says so in its messages', () => {
    const { nodes, abiFrame } = generateChain(3, { without: 'deltas', blocks: 20 });
    const node = nodes.find(({ isWhole }) => !isWhole);
    const protocol = createShipProtocol(abiFrame);
    const last = protocol.readResult(node!.messages.at(-1)!);
    expect(last.kind === 'blocks' && last.blocks.deltas).toBeUndefined();
  });
});
