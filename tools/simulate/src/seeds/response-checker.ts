import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ChainModel, CommittedState, Expected, Query } from '@antelope-history/chain-generator';
import type { BlockOffers } from './block-offers';
import { CommittedStates } from './committed-states';
import type { FirstBlocks } from './first-blocks';
import { post, type Received } from './post';

/** A response that is wrong in every state that the service may show. */
export interface Violation {
  query: Query;
  status: number;
  body: string;
  /** What was expected instead, in words. */
  reason: string;
}

const RESPONSE_LIMIT_MS = 15_000;
/** When nothing changes any more, a service on a busy machine has this long to respond: it is checked for what it says. */
const FINAL_LIMIT_MS = 180_000;
const RETRY_MS = 200;
/** The service says that it cannot respond now: no response, but no wrong one. */
const UNAVAILABLE = new Set([502, 503, 504]);

/** Whether a response is right in a state from which all blocks below the first one are removed. */
type IsOf = (state: CommittedState, first: number) => boolean;

/** Sends requests and compares each response with the model. */
export class ResponseChecker {
  readonly states: CommittedStates;
  readonly violations: Violation[] = [];
  checked = 0;
  unanswered = 0;
  private irreversibleSeen = 0;

  constructor(
    private readonly model: ChainModel,
    private readonly offers: BlockOffers,
    private readonly firsts: FirstBlocks,
    private readonly baseUrl: () => string,
  ) {
    this.states = new CommittedStates(model, offers);
  }

  /** Compares a response with the states that are possible while the chain goes on. */
  async check(query: Query): Promise<void> {
    const at = { now: this.states.now, first: this.firsts.now };
    const irreversible = this.irreversibleSeen;
    const received = await this.send(query);
    if (!received) return;
    const parsed = this.parse(query, received, irreversible);
    if (!parsed) return;
    if (!this.firsts.narrow(this.states, at, parsed.isOf)) {
      const since = `no state from ${describe(at.now)} on gives it`;
      this.report(query, received, `${since}, with a first block from ${at.first} on`);
    }
  }

  /** Compares a response with one state, when nothing changes any more. Returns whether the service responded. */
  async checkAt(query: Query, state: CommittedState): Promise<boolean> {
    const first = this.firsts.now;
    const received = await this.sendUntilAnswered(query);
    const parsed = received && this.parse(query, received, this.irreversibleSeen);
    if (!received) {
      const reason = `the service does not respond within ${FINAL_LIMIT_MS / 1000} s`;
      this.report(query, { status: 0, text: '' }, reason);
    } else if (parsed && !this.firsts.narrowAt(state, first, parsed.isOf)) {
      const expected = this.model.respond(query, state, this.firsts.now);
      this.report(query, received, `expected: ${JSON.stringify(expected)}`);
    }
    return received !== undefined;
  }

  private async sendUntilAnswered(query: Query): Promise<Received | undefined> {
    const limit = performance.now() + FINAL_LIMIT_MS;
    for (;;) {
      const received = await this.send(query);
      if (received || performance.now() > limit) return received;
      await sleep(RETRY_MS);
    }
  }

  private async send(query: Query): Promise<Received | undefined> {
    const received = await post(`${this.baseUrl()}${query.path}`, query.body, RESPONSE_LIMIT_MS);
    if (received && !UNAVAILABLE.has(received.status)) return received;
    // Killed, suspended or not started yet.
    this.unanswered++;
    return undefined;
  }

  /** The response as a test of states; undefined, and reported, when it is wrong in every state. */
  private parse(query: Query, received: Received, irreversible: number): { isOf: IsOf } | undefined {
    this.checked++;
    let json: Record<string, unknown>;
    try {
      json = JSON.parse(received.text) as Record<string, unknown>;
    } catch {
      this.report(query, received, 'the response is not JSON');
      return undefined;
    }
    const { last, head, status, body } = query.path === '/v1/chain/get_info' ? factsOfInfo(json) : factsOf(json);
    const traceStatus = query.path === '/v1/trace_api/get_block' ? status : undefined;
    const fault = this.faultOf({ last, head, irreversible });
    if (fault !== undefined) {
      this.report(query, received, fault);
      return undefined;
    }
    if (typeof last === 'number') this.irreversibleSeen = Math.max(this.irreversibleSeen, last);
    return {
      isOf: (state, first) => {
        if (typeof head === 'number' && head < (state?.num ?? 0)) return false;
        const expected = this.model.respond(query, state, first);
        if (expected.status !== received.status) return false;
        if (expected.status !== 200) return isError(json, expected);
        if (expected.tracedNum !== undefined && !this.mayBe(traceStatus, expected.tracedNum, irreversible))
          return false;
        return isDeepStrictEqual(body, expected.body);
      },
    };
  }

  /** What is wrong with the numbers that nodes report, if anything. */
  private faultOf({
    last,
    head,
    irreversible,
  }: {
    last: unknown;
    head: unknown;
    irreversible: number;
  }): string | undefined {
    const { headNum, irreversibleNum } = this.offers;
    if (typeof head === 'number' && head > headNum) return `no node had a head above ${headNum}`;
    if (typeof last !== 'number') return undefined;
    if (last > irreversibleNum) return `no node reported a last irreversible block above ${irreversibleNum}`;
    return last < irreversible ? `block ${irreversible} was irreversible in an earlier response` : undefined;
  }

  private mayBe(status: unknown, num: number, irreversible: number): boolean {
    if (status === 'irreversible') return num <= this.offers.irreversibleNum;
    return status === 'pending' && num > irreversible;
  }

  private report(query: Query, { status, text }: Received, reason: string): void {
    this.violations.push({ query, status, body: text, reason });
  }
}

/** What a response says of the node that the service reads, and the rest. */
interface Facts {
  last?: unknown;
  head?: unknown;
  status?: unknown;
  body: object;
}

function factsOf(json: Record<string, unknown>): Facts {
  const { last_irreversible_block: last, head_block_num: head, status, ...body } = json;
  return { last, head, status, body };
}

/** Its head is the committed one. */
function factsOfInfo(json: Record<string, unknown>): Facts {
  const {
    last_irreversible_block_num: last,
    last_irreversible_block_id: _id,
    last_irreversible_block_time: _time,
    ...body
  } = json;
  return { last, body };
}

function isError(json: Record<string, unknown>, expected: Exclude<Expected, { status: 200 }>): boolean {
  const error = json['error'] as Record<string, unknown> | undefined;
  return error?.['code'] === expected.error.code && error['name'] === expected.error.name;
}

function describe(states: readonly CommittedState[]): string {
  return states.map((state) => (state ? `block ${state.num} ${state.id.slice(0, 16)}` : 'an empty store')).join(' or ');
}
