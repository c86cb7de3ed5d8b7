import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import type { RecordedMessage, Recording } from '@antelope-history/test-support/recordings';
import type { ShipDialect } from './ship-dialect';

/** Block numbers in a log; `end` is exclusive, both are 0 for an empty log. */
export interface BlockRange {
  begin: number;
  end: number;
}

/** State of a node that its status and results report. */
export interface NodeState {
  head: RecordedPosition;
  lastIrreversible: RecordedPosition;
  traces: BlockRange;
  chainState: BlockRange;
}

/** An observer of the node's blocks. */
export interface NodeListener {
  /** The node's head is now block `num`; a number not above the last one is a fork. */
  onBlock(num: number): void;
  /** The head and the last irreversible block are those of that block. */
  onSettled(): void;
}

type BlockMessage = RecordedMessage & { thisBlock: RecordedPosition };

/**
 * The node of a recording in the state after the first `position` messages: it has the branch on which these messages end, and
 * its head is the block of the last of them. Only `advance` changes the state.
 *
 * The recorded heads are not used: while the recorder caught up, messages carried a head whose block comes later in the
 * stream.
 */
export class ReplayNode {
  readonly listeners = new Set<NodeListener>();
  private readonly stream: readonly BlockMessage[];
  private readonly branch = new Map<number, BlockMessage>();
  private played = 0;
  private state: { head: RecordedPosition; lastIrreversible: RecordedPosition };
  private firstTraces: number | undefined;
  private firstChainState: number | undefined;

  /** Throws for a recording without a block. A node has at least the first block. */
  constructor(
    recording: Recording,
    private readonly dialect: ShipDialect,
    position: number,
  ) {
    this.stream = recording.messages.filter((message): message is BlockMessage => message.thisBlock !== undefined);
    const [first] = this.stream;
    if (!first) throw new Error('The recording holds no block');
    this.state = { head: first.thisBlock, lastIrreversible: first.thisBlock };
    do {
      this.advance();
    } while (this.played < position && !this.atEnd);
  }

  /** Messages played so far. */
  get position(): number {
    return this.played;
  }

  /** Number of messages of the recording that carry a block. */
  get length(): number {
    return this.stream.length;
  }

  get atEnd(): boolean {
    return this.played >= this.stream.length;
  }

  get head(): RecordedPosition {
    return this.state.head;
  }

  get lastIrreversible(): RecordedPosition {
    return this.state.lastIrreversible;
  }

  get firstBlock(): number {
    return this.stream[0]?.thisBlock.num ?? 0;
  }

  /** The message of a block on the node's branch. */
  block(num: number): RecordedMessage | undefined {
    return this.branch.get(num);
  }

  describe(): NodeState {
    const range = (begin: number | undefined): BlockRange =>
      begin === undefined ? { begin: 0, end: 0 } : { begin, end: this.head.num + 1 };
    return { ...this.state, traces: range(this.firstTraces), chainState: range(this.firstChainState) };
  }

  /** Plays the next message of the recording. At its end it does nothing. */
  advance(): void {
    const message = this.stream[this.played];
    if (!message) return;
    this.played++;
    this.take(message);
    this.state = { head: message.thisBlock, lastIrreversible: reachedBy(message, message.lastIrreversible) };
    for (const listener of this.listeners) listener.onBlock(message.thisBlock.num);
    this.settle(message);
    for (const listener of this.listeners) listener.onSettled();
  }

  private take(message: BlockMessage): void {
    const { num } = message.thisBlock;
    for (let orphan = this.head.num; orphan > num; orphan--) this.branch.delete(orphan);
    this.branch.set(num, message);
    if (message.traces.present) this.firstTraces ??= num;
    if (message.deltas.present) this.firstChainState ??= num;
  }

  /** The next message was sent before its own block moved LIB: it carries the LIB that this block led to. */
  private settle(message: BlockMessage): void {
    const next = this.stream[this.played];
    if (!next || !this.dialect.libMovesAfterBlock) return;
    this.state = { head: message.thisBlock, lastIrreversible: reachedBy(message, next.lastIrreversible) };
  }
}

/** While the recorder caught up, the LIB was above the blocks that were sent; a node has its LIB on its own branch. */
function reachedBy(message: BlockMessage, recorded: RecordedPosition): RecordedPosition {
  return recorded.num < message.thisBlock.num ? recorded : (message.prevBlock ?? message.thisBlock);
}
