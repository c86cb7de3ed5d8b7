import type { AbiRequest, ChainStatus } from '@antelope-history/records';
import { Registry } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import { createAbiReader } from '../src/abi-reader';
import { SampleReader } from './sample-reader';

describe('createAbiReader', () => {
  let sample: SampleReader;
  let asked: { known: number; unknown: number };
  let transfer: AbiRequest;
  beforeAll(async () => {
    sample = new SampleReader('leap-edge');
    const query = { filters: [{ account: 'eosio.token', name: 'transfer' }], after: undefined, before: undefined };
    const page = { order: 'desc', skip: 0, limit: 1, window: 'skip' } as const;
    const { rows } = await sample.getActions({ account: undefined, parent: undefined, ...query, ...page });
    const [{ action, blockNum }] = rows as [(typeof rows)[number]];
    transfer = { account: 'eosio.token', blockNum, sequence: action.traces[0]?.receipt.globalSequence ?? 0 };
  });
  beforeEach(() => (asked = { known: 0, unknown: 0 }));

  /** Counts which ABIs were known, and lets `revise` change the chain before each answer. */
  function countingReader(revise: (status: ChainStatus) => ChainStatus = (status) => status): HistoryReader {
    const reader = Object.create(sample) as SampleReader;
    reader.getAbis = async (requests, isKnown) => {
      const { status, versions } = await sample.getAbis(requests, (id) => {
        const known = isKnown(id);
        asked[known ? 'known' : 'unknown']++;
        return known;
      });
      return { status: revise(status), versions };
    };
    return reader;
  }

  const read = (abis: ReturnType<typeof createAbiReader>, requests = [transfer]) =>
    abis.read(
      async () => ({ status: sample.status }),
      () => requests,
    );

  it('gives the decoders in force, and compiles each ABI once', async () => {
    const registry = new Registry();
    const abis = createAbiReader(countingReader(), registry, 'history-api');
    const nobody = { ...transfer, account: 'nobody' };
    for (let i = 0; i < 3; i++) {
      const { decoders } = await read(abis, [transfer, nobody]);
      expect(decoders.at('eosio.token', transfer.blockNum, transfer.sequence)).toBeDefined();
      expect(decoders.at('nobody', transfer.blockNum, transfer.sequence)).toBeUndefined();
    }
    expect(asked).toEqual({ known: 2, unknown: 1 });
    expect(await registry.metrics()).toContain('history_abis_compiled_total{app="history-api"} 1');
  });

  it('asks for no ABIs when none is needed', async () => {
    const abis = createAbiReader(countingReader(), new Registry(), 'x');
    const { decoders } = await read(abis, []);
    expect(decoders.at('eosio.token', 1, 1)).toBeUndefined();
    expect(asked).toEqual({ known: 0, unknown: 0 });
  });

  it('reads all again when a fork was undone in between', async () => {
    const registry = new Registry();
    let forks = 2;
    const forking = (status: ChainStatus) => (forks-- > 0 ? { ...status, revision: status.revision + 1 } : status);
    let reads = 0;
    const abis = createAbiReader(countingReader(forking), registry, 'history-api');
    await abis.read(
      async () => (reads++, { status: sample.status }),
      () => [transfer],
    );
    expect(reads).toBe(3);
    expect(await registry.metrics()).toContain('history_query_retries_total{app="history-api"} 2');
  });

  it('gives up when forks never end', async () => {
    let revision = 100;
    const abis = createAbiReader(
      countingReader((status) => ({ ...status, revision: revision++ })),
      new Registry(),
      'x',
    );
    await expect(read(abis)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(asked.unknown + asked.known).toBe(5);
  });
});
