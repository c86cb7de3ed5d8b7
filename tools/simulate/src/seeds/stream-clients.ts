import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedChain, USERS } from '@antelope-history/chain-generator';
import { createRandom, pick, type Random } from '@antelope-history/test-support/random';
import { StreamClient, type StreamClientParts, type StreamFault, type StreamRequest } from './stream-client';

/** Some parameters of a stream, without its beginning. */
const REQUESTS: readonly Omit<StreamRequest, 'after'>[] = [
  {},
  { account_name: 'alice' },
  { account_name: 'game' },
  { filter: 'eosio.token:transfer' },
  { filter: '*:play,eosio:*' },
  { filter: 'eosio.token:transfer', 'transfer.to': 'bob' },
  { account_name: 'carol', 'transfer.from': 'carol', filter: 'eosio.token:transfer' },
  { account_name: 'nobody' },
];
/** One of so many clients reads irreversible blocks only. */
const IRREVERSIBLE_IN = 3;
const POLL_MS = 100;
/** Minutes, because a machine that is busy with other work takes long. */
const LIMIT_MS = 180_000;

/** Clients of the stream that run as long as the seed. Their draws change none of the other parts. */
export class StreamClients {
  private readonly clients: readonly StreamClient[];
  private readonly runs: readonly Promise<void>[];

  constructor(
    count: number,
    private readonly chain: GeneratedChain,
    parts: Omit<StreamClientParts, 'random'>,
  ) {
    const random = createRandom(chain.seed ^ 0x57ea);
    this.clients = Array.from({ length: count }, () => {
      const own = createRandom(random(2 ** 31));
      return new StreamClient(drawRequest(own, chain), { ...parts, random: own });
    });
    this.runs = this.clients.map((client) => client.run());
  }

  /** When nothing changes any more: waits until each client has the rows of all blocks, which is a fault of one that has not. */
  async finish(): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    const { tip } = this.chain;
    for (const client of this.clients) {
      while (!client.hasAllOf(tip) && client.faults.length === 0) {
        if (performance.now() > limit) client.reportLate(`block ${tip.num} is not shown within ${LIMIT_MS / 1000} s`);
        await sleep(POLL_MS);
      }
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.stop();
    await Promise.all(this.runs);
  }

  get faults(): StreamFault[] {
    return this.clients.flatMap(({ faults }) => faults);
  }

  /** The number of comparisons with the model. */
  get compared(): number {
    return this.clients.reduce((sum, { compared }) => sum + compared, 0);
  }
}

function drawRequest(random: Random, { first, traits }: GeneratedChain): StreamRequest {
  const request: StreamRequest = { ...pick(random, REQUESTS), after: first.num + 1 + random(traits.blocks / 2) };
  if (request.account_name === 'alice') request.account_name = pick(random, USERS);
  if (random(IRREVERSIBLE_IN) === 0) request.irreversible_only = true;
  return request;
}
