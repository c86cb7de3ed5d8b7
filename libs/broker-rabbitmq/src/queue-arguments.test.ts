import { TOPOLOGY } from '@antelope-history/broker';
import { acceptingAgainAt, declarationsOf } from './queue-arguments';

/** The default limit of deliveries of RabbitMQ 4, after which it gives a message up. */
const RABBITMQ_4_LIMIT = 20;

describe('the declaration of a queue', () => {
  const declarations = Object.values(TOPOLOGY).flatMap((queue) => declarationsOf(queue, 'quorum'));

  it('names the type and a limit of deliveries that no message reaches, so that no default of a server applies', () => {
    for (const { arguments: args } of declarations) {
      expect(args['x-queue-type']).toBe('quorum');
      expect(args['x-delivery-limit']).toBeGreaterThan(1_000_000 * RABBITMQ_4_LIMIT);
    }
  });

  it('refuses messages of a full queue, and drops the oldest dead letters only', () => {
    const overflowOf = (suffix: boolean): unknown[] =>
      declarations.filter(({ name }) => name.endsWith('.dead') === suffix).map((each) => each.arguments['x-overflow']);
    expect(new Set(overflowOf(false))).toEqual(new Set(['reject-publish']));
    expect(new Set(overflowOf(true))).toEqual(new Set(['drop-head']));
  });
});

describe('a queue that refused a message', () => {
  // Observed: a quorum queue with x-max-length 3 refuses the fifth message while four wait, and accepts it when two wait.
  it('accepts the next one, of type quorum, below 80 % of its limit', () => {
    expect([4, 256, 1, 0].map((refusedAt) => acceptingAgainAt(refusedAt, 'quorum'))).toEqual([2, 204, 0, 0]);
  });

  it('accepts the next one, of type classic, when one has left', () => {
    expect([4, 256, 1].map((refusedAt) => acceptingAgainAt(refusedAt, 'classic'))).toEqual([3, 255, 0]);
  });
});
