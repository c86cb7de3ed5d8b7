import type { GeneratedBlock, GeneratedChain, NodeStream } from '@antelope-history/chain-generator';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { createRecording } from '@antelope-history/test-support/recordings';
import type { BlockOffers } from './block-offers';
import { SocketProxy } from './socket-proxy';

/** A node of a generated chain: its state history socket, behind a proxy that can cut it. */
export class SimulatedNode {
  private played = 1;

  private constructor(
    private readonly stream: NodeStream,
    readonly replay: ShipReplay,
    readonly proxy: SocketProxy,
    private readonly offers: BlockOffers,
  ) {
    this.offers.holds(this.head);
  }

  /** Starts a node that has the first block of its stream. */
  static async start(chain: GeneratedChain, stream: NodeStream, offers: BlockOffers): Promise<SimulatedNode> {
    const recording = createRecording(chain.abiFrame, stream.messages);
    const replay = await createShipReplay({ recording, pace: 'manual', chainId: chain.chainId });
    const proxy = new SocketProxy({ host: '127.0.0.1', port: replay.port });
    await proxy.listen();
    return new SimulatedNode(stream, replay, proxy, offers);
  }

  get name(): string {
    return this.stream.name;
  }

  get isWhole(): boolean {
    return this.stream.isWhole;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.proxy.port}`;
  }

  get head(): GeneratedBlock {
    return this.stream.blocks[this.played - 1] as GeneratedBlock;
  }

  /** How many of its blocks the next message undoes. */
  get nextForkDepth(): number {
    const next = this.stream.blocks[this.played];
    return next ? Math.max(0, this.head.num + 1 - next.num) : 0;
  }

  get left(): number {
    return this.stream.blocks.length - this.played;
  }

  /** Plays further messages; a lower block number is a fork. Ends early before a fork of at least `deepFork` blocks. */
  advance(messages: number, deepFork = Infinity): void {
    for (let count = Math.min(messages, this.left); count > 0; count--) {
      if (this.nextForkDepth >= deepFork) return;
      const before = this.head;
      this.played++;
      const { head } = this;
      for (let gone: GeneratedBlock | undefined = before; gone && gone !== head.parent; gone = gone.parent) {
        this.offers.leaves(gone);
      }
      this.offers.holds(head);
      this.replay.advance();
    }
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.replay.close();
  }
}
