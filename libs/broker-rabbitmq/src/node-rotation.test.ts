import { NodeRotation } from './node-rotation';

describe('the rotation of nodes', () => {
  it('names each node once in every round', () => {
    const nodes = ['amqp://a', 'amqp://b:5673', 'amqp://c'];
    const rotation = new NodeRotation(nodes.join(' , '));
    const [first, second] = [0, 1].map(() => nodes.map(() => rotation.next()));
    expect([...(first ?? [])].sort()).toEqual(nodes);
    expect(second).toEqual(first);
  });
});
