import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChainModel,
  type ChainTraits,
  type GeneratedBlock,
  generateChain,
  type GeneratedChain,
  type Query,
} from '@antelope-history/chain-generator';
import type { AdapterSet } from '@antelope-history/processes';
import { createRandom, pick, type Random } from '@antelope-history/test-support/random';
import { BlockOffers } from './block-offers';
import { startDistributedSet } from './distributed-set';
import { EdgeQueries } from './edge-queries';
import { startEmbeddedSet } from './embedded-set';
import type { Fault, LastBlocks, SetParts, SetUnderTest } from './fault';
import { drawRetention, FirstBlocks } from './first-blocks';
import { keepFailure } from './kept-failure';
import { nodeFaults } from './node-faults';
import { post } from './post';
import { everyQuery, RandomQueries } from './random-queries';
import { ResponseChecker, type Violation } from './response-checker';
import type { SeedSize } from './seed-size';
import { SimulatedNode } from './simulated-node';
import type { StreamFault } from './stream-client';
import { StreamClients } from './stream-clients';

export interface SeedOptions {
  seed: number;
  set: AdapterSet;
  size: SeedSize;
  /** Folder for what a failed seed leaves. */
  keepIn: string;
}

export interface SeedOutcome {
  seed: number;
  traits: ChainTraits;
  /** The number of newest blocks that the service keeps; 0 = all. */
  retainBlocks: number;
  removedBlocks: number;
  /** Number of faults by name. */
  faults: Map<string, number>;
  checked: number;
  unanswered: number;
  violations: (Violation | StreamFault)[];
  /** The folder with the logs and violations of a failed seed. */
  keptIn: string | undefined;
}

const CLIENTS = 3;
const STREAMS = 2;
/** One of so many nodes besides the first stops for good. */
const STOPS_IN = 3;
/** Minutes, because a machine that is busy with other work takes long to start processes. */
const RECOVERY_LIMIT_MS = 300_000;
const POLL_MS = 100;
const SHOWN_LIMIT_MS = 5_000;
/** The longest pause of a client: the processor is for the service. */
const BETWEEN_QUERIES_MS = 30;
/** Requests at once when nothing changes any more. */
const FINAL_CLIENTS = 4;
/** A fork this deep is rare, so that each meets a service which has indexed the whole branch that is left. */
const DEEP_FORK = 1_000;
const DEEP_LIMIT_MS = 20_000;
/** Blocks that are kept for the end: each chain ends with as many that all its nodes have in the same order. */
const LAST_BLOCKS = 12;

/** Plays the chain of a seed with the faults of the seed, and compares every response with the model. */
export async function runSeed(options: SeedOptions): Promise<SeedOutcome> {
  const random = createRandom(options.seed ^ 0x5eed);
  const chain = generateChain(options.seed, options.size.traits);
  const offers = new BlockOffers(chain);
  const folder = mkdtempSync(path.join(tmpdir(), `antelope-history-seed-${options.seed}-`));
  const nodes = await Promise.all(chain.nodes.map((stream) => SimulatedNode.start(chain, stream, offers)));
  let set: SetUnderTest | undefined;
  try {
    const urls = inAnyOrder(nodes, random).map(({ url }) => url);
    const spanMs = options.size.spanMs[options.set];
    const retainBlocks = drawRetention(options.seed);
    set = await startSet(options, { chain, urls, folder, random, spanMs, retainBlocks });
    const run = new SeedRun(options, chain, offers, nodes, set, random, retainBlocks);
    const outcome = await run.play();
    if (outcome.violations.length > 0) outcome.keptIn = keepFailure(options.keepIn, outcome, set.logFolder);
    return outcome;
  } finally {
    await set?.stop();
    await Promise.all(nodes.map((node) => node.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startSet({ set, size }: SeedOptions, parts: SetParts): Promise<SetUnderTest> {
  return set === 'embedded' ? startEmbeddedSet(parts) : startDistributedSet(parts, size.hasTrials);
}

class SeedRun {
  private readonly model: ChainModel;
  private readonly firsts: FirstBlocks;
  private readonly checker: ResponseChecker;
  private readonly faults = new Map<string, number>();
  private isGoingOn = true;

  constructor(
    private readonly options: SeedOptions,
    private readonly chain: GeneratedChain,
    private readonly offers: BlockOffers,
    private readonly nodes: readonly SimulatedNode[],
    private readonly set: SetUnderTest,
    private readonly random: Random,
    private readonly retainBlocks: number,
  ) {
    this.model = new ChainModel(chain, options.set === 'distributed');
    this.firsts = new FirstBlocks({ chain, model: this.model, offers, retainBlocks });
    this.checker = new ResponseChecker(this.model, offers, this.firsts, () => set.url);
  }

  async play(): Promise<SeedOutcome> {
    const clients = Array.from({ length: CLIENTS }, () => this.ask());
    if (this.retainBlocks > 0) clients.push(this.askAtEdge());
    const { model, offers, firsts } = this;
    const streams = new StreamClients(STREAMS, this.chain, { model, offers, firsts, url: this.set.url });
    await Promise.all([...this.nodes.map((node, index) => this.playNode(node, index > 0)), this.breakThings()]);
    await this.set.calm();
    const recovered =
      (await this.untilShown(this.first.head)) && (await this.playLast()) && (await this.untilRemoved());
    this.isGoingOn = false;
    await Promise.all(clients);
    await (recovered ? streams.finish() : streams.stop());
    if (recovered) await this.compareAll();
    if (recovered && this.set.showStored) {
      // Any later block may show what no search has seen yet.
      await this.set.showStored();
      await this.compareAll();
    }
    return this.outcome(streams);
  }

  private outcome(streams: StreamClients): SeedOutcome {
    const { checked, unanswered, violations } = this.checker;
    return {
      seed: this.options.seed,
      traits: this.chain.traits,
      retainBlocks: this.retainBlocks,
      removedBlocks: this.firsts.removed,
      faults: this.faults,
      checked: checked + streams.compared,
      unanswered,
      violations: [...violations, ...streams.faults],
      keptIn: undefined,
    };
  }

  private get first(): SimulatedNode {
    return this.nodes[0] as SimulatedNode;
  }

  private get keptBlocks(): number {
    return this.options.size.hasTrials ? LAST_BLOCKS : 0;
  }

  private get spanMs(): number {
    const { set, size } = this.options;
    return size.spanMs[set];
  }

  private ask(): Promise<void> {
    const random = this.ownRandom();
    return this.askAll(new RandomQueries(random, () => this.offers.blocks), random);
  }

  /** Its draws change none of the other parts, so that a seed with retention is otherwise what it is without. */
  private askAtEdge(): Promise<void> {
    const random = createRandom(this.options.seed ^ 0xed6e);
    const { offers, firsts } = this;
    return this.askAll(
      new EdgeQueries(
        random,
        () => offers.blocks,
        () => firsts.now,
      ),
      random,
    );
  }

  private async askAll(queries: { draw(): Query }, random: Random): Promise<void> {
    while (this.isGoingOn) {
      await this.checker.check(queries.draw());
      await sleep(random(BETWEEN_QUERIES_MS));
    }
  }

  /** The draws of a part of the run, which do not depend on what other parts do at the same time. */
  private ownRandom(): Random {
    return createRandom(this.random(2 ** 31));
  }

  /** The node plays its stream in bursts; in between it stands still. One that is not the only one may stop for good. */
  private async playNode(node: SimulatedNode, mayStop: boolean): Promise<void> {
    const random = this.ownRandom();
    const stopsAt = mayStop && random(STOPS_IN) === 0 ? random(node.left) : 0;
    if (stopsAt > 0) this.count('node stands still for good');
    const left = Math.max(stopsAt, this.keptBlocks);
    const span = this.spanMs;
    const bursts = 3 + random(40);
    const size = Math.ceil((2 * node.left) / bursts);
    const waitMs = (2 * span) / bursts;
    while (node.left > left) {
      await sleep(random(waitMs));
      if (node.nextForkDepth >= DEEP_FORK) await this.forkDeep(node);
      else node.advance(Math.min(1 + random(size), node.left - left), DEEP_FORK);
    }
  }

  /** The service is restarted at the end of a branch, and when it runs again the node is on another one. */
  private async forkDeep(node: SimulatedNode): Promise<void> {
    await this.isShownWithin(node.head, DEEP_LIMIT_MS);
    this.count('killed before a deep fork');
    await this.set.killIndexing();
    node.advance(1);
  }

  private async breakThings(): Promise<void> {
    const random = this.ownRandom();
    const span = this.spanMs;
    const all = [...nodeFaults(this.nodes), ...this.set.faults];
    const faults = random(this.options.size.maxFaults + 1);
    const struck: Promise<void>[] = [];
    for (let count = 0; count < faults; count++) {
      await sleep(random((2 * span) / faults));
      struck.push(this.strike(pick(random, all), createRandom(random(2 ** 31))));
    }
    await Promise.all(struck);
  }

  private async strike({ name, strike }: Fault, random: Random): Promise<void> {
    this.count(name);
    await strike(random, (what) => this.count(what));
  }

  private count(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  /** Whether a block is shown, without a hand, within the limit; otherwise that is a violation. */
  private async untilShown(block: GeneratedBlock): Promise<boolean> {
    const isShown = await this.isShownWithin(block, RECOVERY_LIMIT_MS);
    if (!isShown) this.reportLate(block, `is not shown ${RECOVERY_LIMIT_MS / 1000} s after the last fault`);
    return isShown;
  }

  private reportLate({ num }: GeneratedBlock, what: string): void {
    const query: Query = { path: '/v1/chain/get_block', body: { block_num_or_id: num } };
    const reason = [`block ${num} ${what}`, ...this.set.givenUp].join('; ');
    this.checker.violations.push({ query, status: 0, body: '', reason });
  }

  /** Whether all blocks that are not kept are removed, within the limit; otherwise that is a violation. */
  private async untilRemoved(): Promise<boolean> {
    if (this.retainBlocks === 0) return true;
    const query: Query = { path: '/v1/chain/get_info', body: {} };
    // Whole ranges are removed, when a later block is committed.
    if (!this.set.removesEachBlock) return this.checker.checkAt(query, this.chain.tip);
    const { highest } = this.firsts;
    const limit = performance.now() + RECOVERY_LIMIT_MS;
    while (this.firsts.now < highest) {
      await this.checker.check(query);
      if (performance.now() > limit) {
        this.reportLate(this.chain.tip, `is not followed by the removal of all blocks below ${highest}`);
        return false;
      }
      await sleep(POLL_MS);
    }
    return true;
  }

  /** Plays the blocks that are kept for the end; returns whether the last one is shown. */
  private async playLast(): Promise<boolean> {
    const { trial } = this.set;
    if (this.keptBlocks === 0) return true;
    if (!trial) return this.goOnAlone();
    this.count(trial.name);
    // A node that stood still would send blocks that the others have left long ago.
    for (const node of this.nodes) node.advance(node.left - this.keptBlocks);
    const fault = await trial.run(this.lastBlocks());
    if (fault !== undefined) this.reportLate(this.first.head, `(${trial.name}): ${fault}`);
    this.lastBlocks().play(this.first.left);
    return this.untilShown(this.chain.tip);
  }

  /** One node has the last blocks; all others stand still, and a reader that is connected to one of them has to leave it. */
  private async goOnAlone(): Promise<boolean> {
    const whole = this.nodes.filter(({ isWhole }) => isWhole);
    const node = whole[this.random(whole.length)] as SimulatedNode;
    if (this.nodes.length > 1) this.count('only one node goes on');
    node.advance(node.left);
    return this.untilShown(this.chain.tip);
  }

  private lastBlocks(): LastBlocks {
    const { first, nodes } = this;
    return {
      get left() {
        return first.left;
      },
      play: (blocks) => {
        for (const node of nodes) node.advance(blocks);
        return first.head;
      },
      isShownWithin: (block, limitMs) => this.isShownWithin(block, limitMs),
    };
  }

  private async isShownWithin({ num, id }: GeneratedBlock, limitMs: number): Promise<boolean> {
    const limit = performance.now() + limitMs;
    while (!(await this.isShown(num, id))) {
      if (performance.now() > limit) return false;
      await sleep(POLL_MS);
    }
    return true;
  }

  private async isShown(num: number, id: string): Promise<boolean> {
    const received = await post(`${this.set.url}/v1/chain/get_block`, { block_num_or_id: num }, SHOWN_LIMIT_MS);
    return received?.status === 200 && (JSON.parse(received.text) as { id?: string }).id === id;
  }

  /** Everything that can be asked for, when nothing changes any more. */
  private async compareAll(): Promise<void> {
    const queries = everyQuery(this.chain.blocks);
    const ask = async (): Promise<void> => {
      for (const query of queries) {
        // Without a response to this one, each of the others would be waited for as long.
        if (!(await this.checker.checkAt(query, this.chain.tip))) return;
      }
    };
    await Promise.all(Array.from({ length: FINAL_CLIENTS }, ask));
  }
}

/** A reader stays with the first node as long as that one sends blocks: half of the nodes that lack a log come first. */
function inAnyOrder(nodes: readonly SimulatedNode[], random: Random): SimulatedNode[] {
  const order = shuffled(nodes, random);
  return random(2) ? order.sort((left, right) => Number(left.isWhole) - Number(right.isWhole)) : order;
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  const result: T[] = [];
  while (left.length > 0) result.push(...left.splice(random(left.length), 1));
  return result;
}
