import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Registry } from '@antelope-history/app-runtime';
import type { Response } from 'express';
import { ticketOf, workLimiters } from './limit-work';

const MIB = 1024 * 1024;
const SETTINGS = {
  maxRequestsInFlight: 4,
  maxRequestsPerClient: 4,
  maxRequestsWaiting: 8,
  maxResponseBytesInFlight: 8 * MIB,
  maxResponseBytesPerClient: 8 * MIB,
};

describe('the limiter of an upstream', () => {
  afterEach(() => jest.useRealTimers());

  function setUp(share: number) {
    const registry = new Registry();
    const limit = workLimiters(SETTINGS, registry)(share);
    const send = async (client: string, { hasLeft = false } = {}) => {
      const response = new ServerResponse(new IncomingMessage(new Socket())) as unknown as Response;
      response.locals = { client: { id: client } };
      if (hasLeft) Object.defineProperty(response, 'closed', { value: true });
      const sent = { response, isStarted: false };
      void limit(response.req, response, () => (sent.isStarted = true));
      await Promise.resolve();
      return sent;
    };
    const working = async (): Promise<string> =>
      registry.getSingleMetricAsString('history_gateway_requests_working').then((text) => text.split(' ').at(-1) ?? '');
    return { send, working };
  }

  it('has its share of the bytes that all responses may hold', async () => {
    const { send } = setUp(0.25);
    const first = await send('a');
    ticketOf(first.response).beginResponse(1.5 * MIB);
    const second = await send('b');
    ticketOf(second.response).beginResponse(0.5 * MIB);
    expect([first, second, await send('c')].map(({ isStarted }) => isStarted)).toEqual([true, true, false]);
  });

  it('cuts the connection of a response that has stalled', async () => {
    jest.useFakeTimers();
    const { send } = setUp(1);
    const stalled = await send('a');
    ticketOf(stalled.response).beginResponse(4 * MIB);
    const other = await send('b');
    jest.advanceTimersByTime(3_000);
    ticketOf(other.response).beginResponse(4 * MIB);
    expect([stalled.response.destroyed, other.response.destroyed]).toEqual([true, false]);
  });

  it('starts no work for a client that left while its body was read, and holds none', async () => {
    const { send, working } = setUp(1);
    for (let count = 0; count <= SETTINGS.maxRequestsPerClient; count++) {
      expect((await send('a', { hasLeft: true })).isStarted).toBe(false);
    }
    expect(await working()).toBe('0');
    expect((await send('a')).isStarted).toBe(true);
    expect(await working()).toBe('1');
  });
});
