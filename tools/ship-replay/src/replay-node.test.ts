import { openSample } from '@antelope-history/test-support/recordings';
import { ReplayNode } from './replay-node';
import { readDialect } from './ship-dialect';

const recording = openSample('leap-edge');
const dialect = readDialect(recording.abi);

/** The highest block whose previous block the node does not have. */
function firstBreak(node: ReplayNode): number {
  let num = node.head.num;
  while (num > 1 && node.block(num)?.prevBlock?.id === node.block(num - 1)?.thisBlock?.id) num--;
  return num;
}

describe('ReplayNode', () => {
  it('has one branch at every position: linked from its head down to block 1, and nothing above', () => {
    const node = new ReplayNode(recording, dialect, 1);
    for (;;) {
      expect(node.head).toEqual(recording.messages[node.position - 1]?.thisBlock);
      expect(firstBreak(node)).toBe(1);
      expect(Array.from({ length: 20 }, (_, index) => node.block(node.head.num + 1 + index))).toEqual(Array(20));
      if (node.atEnd) break;
      node.advance();
    }
    expect(node.position).toBe(recording.messages.length);
  });

  it('does nothing at the end', () => {
    const node = new ReplayNode(recording, dialect, Infinity);
    const before = node.describe();
    node.advance();
    expect(node.describe()).toEqual(before);
  });

  it('reports empty logs until a block fills them', () => {
    const node = new ReplayNode(recording, dialect, 1);
    expect(node.describe()).toMatchObject({ traces: { begin: 0, end: 0 }, chainState: { begin: 1, end: 2 } });
    node.advance();
    expect(node.describe()).toMatchObject({ traces: { begin: 2, end: 3 }, chainState: { begin: 1, end: 3 } });
  });

  it('needs at least one block', () => {
    expect(() => new ReplayNode({ ...recording, messages: [] }, dialect, 1)).toThrow('holds no block');
  });
});
