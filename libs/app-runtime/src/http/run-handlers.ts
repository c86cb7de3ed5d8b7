import type { Request, RequestHandler, Response } from 'express';

/**
 * Runs handlers one after another, by the rules of Express's router: a handler calls `next` to go on, and ends the run by an error
 * that it passes to `next`, throws, or rejects with. `done` is called once: with that error, or with nothing after the last handler
 * has called `next`.
 */
export function runHandlers(
  handlers: readonly RequestHandler[],
  request: Request,
  response: Response,
  done: (error?: unknown) => void,
): void {
  let index = 0;
  const fail = (error: unknown): void => done(error ?? new Error('a handler failed without an error'));
  const next = (error?: unknown): void => {
    if (error) return done(error);
    const handler = handlers[index++];
    if (!handler) return done();
    try {
      const result: unknown = handler(request, response, next);
      if (result instanceof Promise) result.catch(fail);
    } catch (thrown) {
      fail(thrown);
    }
  };
  next();
}
