import { request, response, type Request, type RequestHandler, type Response } from 'express';
import { runHandlers } from './run-handlers';

const REQUEST: Request = Object.create(request);
const RESPONSE: Response = Object.create(response);

/** Runs handlers; resolves with the arguments of the calls of `done`, after those that were awaited. */
async function run(handlers: RequestHandler[]): Promise<unknown[]> {
  const ends: unknown[] = [];
  runHandlers(handlers, REQUEST, RESPONSE, (error) => ends.push(error));
  await new Promise(setImmediate);
  return ends;
}

describe('runHandlers', () => {
  it('runs handlers in order, also those that go on later, and ends after the last one', async () => {
    const order: string[] = [];
    const ends = await run([
      (given, answered, next) => {
        order.push('first');
        expect([given === REQUEST, answered === RESPONSE]).toEqual([true, true]);
        next();
      },
      (_request, _response, next) => queueMicrotask(next),
      async (_request, _response, next) => {
        await Promise.resolve();
        order.push('last');
        next();
      },
    ]);
    expect([order, ends]).toEqual([['first', 'last'], [undefined]]);
  });

  it('does not end when a handler responds without going on', async () => {
    const never: RequestHandler = () => {
      throw new Error('must not run');
    };
    expect(await run([() => undefined, never])).toEqual([]);
  });

  it.each<[string, RequestHandler]>([
    ['passes to next', (_request, _response, next) => next(new Error('it'))],
    [
      'throws',
      () => {
        throw new Error('it');
      },
    ],
    ['rejects with', async () => Promise.reject(new Error('it'))],
  ])('ends by the error that a handler %s', async (_, failing) => {
    const later = jest.fn();
    expect(await run([(_request, _response, next) => next(), failing, later])).toEqual([new Error('it')]);
    expect(later).not.toHaveBeenCalled();
  });

  it('ends by an error when a handler rejects with nothing', async () => {
    const failing: RequestHandler = () =>
      new Promise<void>((_resolve, reject) => {
        queueMicrotask(reject);
      });
    expect(await run([failing])).toEqual([expect.any(Error)]);
  });
});
