import { ABI, Serializer } from '@wharfkit/antelope';
import { DecodeAllowance } from '@antelope-history/abi';
import { openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { Registry } from '@antelope-history/app-runtime';
import type { AbiRequest, ChainStatus, HistoryReader } from '@antelope-history/store';
import { createAbiReader } from '../src/abi-reader';
import { LargeResponses } from '../src/large-responses';
import { RequestWork } from '../src/request-work';

describe('createAbiReader', () => {
  let sample: SampleReader;
  let asked: { known: number; unknown: number };
  let transfer: AbiRequest;
  beforeAll(async () => {
    sample = openSampleReader('leap-edge');
    const query = {
      data: [],
      filters: [{ account: 'eosio.token', name: 'transfer' }],
      after: undefined,
      before: undefined,
    };
    const page = { order: 'desc', skip: 0, limit: 1, window: 'skip' } as const;
    const { rows } = await sample.getActions({ account: undefined, parent: undefined, ...query, ...page });
    const [{ action, blockNum }] = rows as [(typeof rows)[number]];
    transfer = { account: 'eosio.token', blockNum, sequence: action.traces[0]?.receipt.globalSequence ?? 0 };
  });
  beforeEach(() => (asked = { known: 0, unknown: 0 }));

  /** Counts known and unknown ABIs, and lets `revise` change the chain status of each result. */
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
      new RequestWork(new LargeResponses(), new AbortController().signal),
      async () => ({ status: sample.status }),
      () => requests,
    );

  it('returns the decoders in force, and compiles each ABI once', async () => {
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

  it('requests no ABIs if none is needed', async () => {
    const abis = createAbiReader(countingReader(), new Registry(), 'x');
    const { decoders } = await read(abis, []);
    expect(decoders.at('eosio.token', 1, 1)).toBeUndefined();
    expect(asked).toEqual({ known: 0, unknown: 0 });
  });

  it('repeats both reads after a fork between them', async () => {
    const registry = new Registry();
    let forks = 2;
    const forking = (status: ChainStatus) => (forks-- > 0 ? { ...status, revision: status.revision + 1 } : status);
    let reads = 0;
    const abis = createAbiReader(countingReader(forking), registry, 'history-api');
    await abis.read(
      new RequestWork(new LargeResponses(), new AbortController().signal),
      async () => (reads++, { status: sample.status }),
      () => [transfer],
    );
    expect(reads).toBe(3);
    expect(await registry.metrics()).toContain('history_query_retries_total{app="history-api"} 2');
  });

  it('rejects after too many forks', async () => {
    let revision = 100;
    const abis = createAbiReader(
      countingReader((status) => ({ ...status, revision: revision++ })),
      new Registry(),
      'x',
    );
    await expect(read(abis)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(asked.unknown + asked.known).toBe(5);
  });

  describe('with more ABIs than a request may use', () => {
    /** A valid ABI of 12,000 structs, which takes some 8 MiB compiled; each `version` is another one. */
    function largeAbi(version: number): Buffer {
      const structs = Array.from({ length: 12_000 }, (_, index) => ({
        name: `s${index}_${version}`,
        base: '',
        fields: [{ name: 'a', type: 'uint8' }],
      }));
      const abi = ABI.from({
        version: 'eosio::abi/1.2',
        structs,
        actions: [{ name: 'a', type: `s0_${version}`, ricardian_contract: '' }],
      });
      return Buffer.from(Serializer.encode({ object: abi }).array);
    }

    const requests = Array.from({ length: 20 }, (_, sequence) => ({ account: 'hostile', blockNum: 1, sequence }));

    /** Returns the n-th version for the n-th request. */
    function readerOf(abis: Buffer[]): HistoryReader {
      const reader = Object.create(sample) as SampleReader;
      reader.getAbis = async (_, isKnown) => ({
        status: sample.status,
        versions: abis.map((bytes, index) => ({ id: `${index}`, bytes: isKnown(`${index}`) ? undefined : bytes })),
      });
      return reader;
    }

    it('compiles the first ABIs, and the same ones whether they were cached or not', async () => {
      const abis = createAbiReader(readerOf(requests.map((_, index) => largeAbi(index))), new Registry(), 'x');
      const decodedTimes: boolean[][] = [];
      for (let times = 0; times < 2; times++) {
        const { decoders } = await read(abis, requests);
        decodedTimes.push(
          requests.map(({ sequence }) => {
            const allowance = new DecodeAllowance(1_000_000);
            const decoder = decoders.at('hostile', 1, sequence);
            const decoded = decoder?.decodeAction('a', Buffer.of(1), allowance);
            // What is not decoded for want of room says so.
            expect(decoded === undefined).toBe(allowance.exceeded);
            return decoded !== undefined;
          }),
        );
      }
      const [first = [], second] = decodedTimes;
      expect(first[0]).toBe(true);
      expect(first.lastIndexOf(true)).toBe(first.indexOf(false) - 1);
      expect(second).toEqual(first);
    });
  });
});
