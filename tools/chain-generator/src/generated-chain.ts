import type { Random } from '@antelope-history/test-support/random';
import { createRandom } from '@antelope-history/test-support/random';
import { openSample } from '@antelope-history/test-support/recordings';
import { ancestor, BlockBuilder } from './block-builder';
import { BlockContent, type BlockTexture } from './block-content';
import { drawTraits, type ChainTraits } from './chain-traits';
import { sha256 } from './digests';
import { type FinalityContent, finalizerKey, SAVANNA_SCHEDULE } from './finality';
import type { GeneratedBlock } from './generated-block';
import { genesisState } from './genesis-state';
import { k1Key, printedKey } from './keys';
import { ShipLayouts } from './ship-layouts';

/** A node as its state history socket shows it: a stream of messages, in which a lower number again is a fork. */
export interface NodeStream {
  name: string;
  /** The block of each message. */
  blocks: GeneratedBlock[];
  messages: Buffer[];
  /** False for a node that lacks a log: it can serve nothing that follows. */
  isWhole: boolean;
}

export interface GeneratedChain {
  seed: number;
  traits: ChainTraits;
  abiFrame: string;
  /** 64 hex digits. */
  chainId: string;
  /** The block that the nodes' logs begin with: the first block of the chain, or that of a snapshot, which has no contents. */
  first: GeneratedBlock;
  isSnapshot: boolean;
  /** All blocks of all branches, in the order in which they were made. */
  blocks: GeneratedBlock[];
  nodes: NodeStream[];
  /** The block with which every whole node ends. */
  tip: GeneratedBlock;
}

/** In 2025. */
const FIRST_SLOT = 1_600_000_000;
/** Blocks that a chain runs on after its last fork, so that the last irreversible block passes all of them. */
const RUN_OUT = 12;

/** Generates a chain with its nodes from a seed; `traits` replaces what the seed draws. */
export function generateChain(seed: number, traits: Partial<ChainTraits> = {}): GeneratedChain {
  const random = createRandom(seed);
  const drawn = { ...drawTraits(random), ...traits };
  return new ChainPlanner(seed, drawn, random).plan();
}

/** A fork of the main stream: the branch that it left, and the message at which it did. */
interface Fork {
  at: number;
  orphanTip: GeneratedBlock;
}

class ChainPlanner {
  private readonly builder: BlockBuilder;
  private readonly content: BlockContent;
  private readonly blocks: GeneratedBlock[] = [];
  private readonly stream: GeneratedBlock[] = [];
  private readonly forks: Fork[] = [];
  private readonly abiFrame: string;
  private readonly first: GeneratedBlock;
  /** Last irreversible block of all that was made; no fork goes below. */
  private irreversible = 1;
  private isFrozen = false;
  private generation = 1;

  constructor(
    private readonly seed: number,
    private readonly traits: ChainTraits,
    private readonly random: Random,
  ) {
    this.abiFrame = openSample(traits.isSavanna ? 'spring-savanna' : 'leap-edge').abi;
    this.builder = new BlockBuilder(new ShipLayouts(this.abiFrame));
    this.content = new BlockContent(random);
    this.first = this.makeFirst();
  }

  plan(): GeneratedChain {
    const { traits } = this;
    const target = this.first.num + traits.blocks;
    while (this.head.num < target) {
      if (this.random(100) < traits.forkPercent) this.fork(1 + this.random(traits.lag));
      else this.extend(1 + this.random(6));
    }
    if (traits.deepFork > 0) this.forkDeep(traits.deepFork);
    this.runOut();
    return {
      seed: this.seed,
      traits,
      abiFrame: this.abiFrame,
      chainId: sha256(Buffer.from(`chain ${this.seed}`)).toString('hex'),
      first: this.first,
      isSnapshot: traits.isSnapshot,
      blocks: this.blocks,
      nodes: this.nodes(),
      tip: this.head,
    };
  }

  private get head(): GeneratedBlock {
    return this.stream.at(-1) ?? this.first;
  }

  /** The first block; that of a snapshot comes after a few blocks that no node has any more. */
  private makeFirst(): GeneratedBlock {
    const { isSnapshot, isSavanna, firstSequence, snapshotNum } = this.traits;
    const spec = { transactions: [], producer: 'eosio', slots: 1, lastIrreversible: 1 };
    const numbered = { num: isSnapshot ? snapshotNum : 1, slot: FIRST_SLOT };
    const scheduleVersion = isSavanna ? SAVANNA_SCHEDULE + 1 : 0;
    let block = this.builder.build(genesisState(firstSequence), { ...spec, scheduleVersion }, numbered);
    if (isSnapshot) {
      for (let count = 0; count < 4; count++) block = this.make(block, 'everything');
    }
    this.irreversible = block.num;
    block.lastIrreversible = block.num;
    this.blocks.push(block);
    this.stream.push(block);
    return block;
  }

  private make(parent: GeneratedBlock, texture: BlockTexture): GeneratedBlock {
    const num = parent.num + 1;
    const behind = Math.max(parent.lastIrreversible, num - this.traits.lag);
    return this.builder.build(parent, {
      transactions: this.content.transactions(texture),
      producer: this.pick(['prod1', 'prod2', 'prod3']),
      slots: this.random(10) === 0 ? 1 + this.random(24) : 1,
      lastIrreversible: this.isFrozen ? parent.lastIrreversible : behind,
      finality: this.traits.isSavanna ? this.finality(num) : undefined,
      scheduleVersion: this.traits.isSavanna ? SAVANNA_SCHEDULE + 1 : 0,
    });
  }

  private extend(count: number, texture?: BlockTexture): void {
    for (let made = 0; made < count; made++) {
      const block = this.make(this.head, texture ?? this.texture());
      this.irreversible = Math.max(this.irreversible, block.lastIrreversible);
      this.blocks.push(block);
      this.stream.push(block);
    }
  }

  /** Goes back by some blocks and begins another branch, on which it may go back again before it is longer. */
  private fork(depth: number): void {
    const base = this.head.num - depth;
    if (base < this.irreversible || base < this.first.num) return;
    const orphanTip = this.head;
    const wasFrozen = this.isFrozen;
    this.isFrozen = true;
    this.forks.push({ at: this.stream.length, orphanTip });
    this.grow(ancestor(orphanTip, base), 1 + this.random(depth + 2));
    if (this.random(3) === 0) this.fork(1 + this.random(depth));
    while (this.head.num <= orphanTip.num) this.extend(1);
    this.isFrozen = wasFrozen;
  }

  private grow(base: GeneratedBlock, count: number): void {
    // Blocks of a losing branch change ABIs and permissions more often: what they leave behind is what must not stay.
    const block = this.make(base, this.random(2) ? 'state' : this.texture());
    this.blocks.push(block);
    this.stream.push(block);
    this.extend(count - 1);
  }

  /** A fork below thousands of blocks, while the last irreversible block stood still. */
  private forkDeep(depth: number): void {
    this.isFrozen = true;
    const base = this.head;
    this.extend(depth, 'empty');
    this.forks.push({ at: this.stream.length, orphanTip: this.head });
    this.grow(base, 1);
    this.extend(depth, 'empty');
    this.isFrozen = false;
  }

  /** The end: nothing but quiet blocks, or changes that have nothing to do with those on losing branches. */
  private runOut(): void {
    const { lag } = this.traits;
    this.extend(2 + this.random(3));
    for (let count = 0; count < lag + RUN_OUT; count++) {
      this.extend(1, count > lag && this.random(3) === 0 ? 'state' : this.pick(['quiet', 'empty']));
    }
  }

  private texture(): BlockTexture {
    const { texture } = this.traits;
    if (texture === 'everything') return this.random(12) === 0 ? 'empty' : 'everything';
    const drawn = this.random(100);
    if (drawn < 6) return 'state';
    if (drawn === 6 && this.traits.hasHugeBlocks) return 'huge';
    return drawn < 60 ? 'quiet' : 'empty';
  }

  private finality(num: number): FinalityContent {
    const claim = { blockNum: Math.max(1, num - 1 - this.random(2)), isStrong: this.random(4) > 0 };
    const index = this.random(3);
    return {
      claim,
      finalizerPolicy:
        this.random(12) > 0
          ? undefined
          : {
              generation: ++this.generation,
              threshold: 3,
              removed: this.random(2) ? [index] : [],
              inserted: [
                { index, description: `finalizer ${index}`, weight: 1, publicKey: finalizerKey(this.generation) },
              ],
            },
      proposerPolicy:
        this.random(12) > 0
          ? undefined
          : {
              version: ++this.generation,
              proposalSlot: FIRST_SLOT + num,
              removed: [],
              inserted: [{ index, producer: 'prod1', key: k1Key(index), printedKey: printedKey(k1Key(index)) }],
            },
    };
  }

  private nodes(): NodeStream[] {
    const nodes = [this.node('first', this.stream)];
    for (let count = 1; count < this.traits.nodes; count++) {
      nodes.push(this.node(`other-${count}`, this.otherStream()));
    }
    const { without } = this.traits;
    if (without) nodes.push(this.incompleteNode(without));
    return nodes;
  }

  /** What a node saw that was on other branches: the winning one only, or losing ones for longer than the first node. */
  private otherStream(): GeneratedBlock[] {
    if (this.random(3) === 0) return branchOf(this.head, this.first);
    const stream: GeneratedBlock[] = [];
    for (const [index, block] of this.stream.entries()) {
      const fork = this.forks.find(({ at }) => at === index);
      if (fork && this.random(2) === 0) stream.push(...this.longerBranch(fork.orphanTip));
      stream.push(block);
    }
    return stream;
  }

  private longerBranch(orphanTip: GeneratedBlock): GeneratedBlock[] {
    this.isFrozen = true;
    const more: GeneratedBlock[] = [];
    for (let count = 1 + this.random(5); count > 0; count--) {
      more.push(this.make(more.at(-1) ?? orphanTip, this.random(3) ? this.texture() : 'state'));
    }
    this.isFrozen = false;
    this.blocks.push(...more);
    return more;
  }

  private node(name: string, blocks: GeneratedBlock[]): NodeStream {
    const messages = blocks.map((block) => this.messageOf(block));
    return { name, blocks, messages, isWhole: true };
  }

  private messageOf(block: GeneratedBlock): Buffer {
    return this.traits.isSnapshot && block === this.first ? this.builder.snapshotMessage(block) : block.message;
  }

  /** A node that stops writing one of its logs at some block, or never wrote it. */
  private incompleteNode(without: 'traces' | 'deltas'): NodeStream {
    const blocks = branchOf(this.head, this.first);
    const from = this.random(2) * this.random(blocks.length);
    const messages = blocks.map((block, index) =>
      index < Math.max(from, 1) && from > 0 ? this.messageOf(block) : this.builder.incompleteMessage(block, without),
    );
    return { name: `without-${without}`, blocks, messages, isWhole: false };
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)] as T;
  }
}

/** The blocks from `first` to `tip`. */
export function branchOf(tip: GeneratedBlock, first: GeneratedBlock): GeneratedBlock[] {
  const branch = [tip];
  for (let at = tip; at !== first && at.parent; at = at.parent) branch.push(at.parent);
  return branch.reverse();
}
