import { hasErrorCode } from '@antelope-history/schemas';
import type { AbiRequest, AbiVersion, HistoryReader } from '@antelope-history/store';
import type { StoredFault } from './chain-verifier';
import type { SetAbi } from './state-replay';

/** Above any ABI: a transaction has half a megabyte by default and 16 MiB at most. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Versions asked for in one request at the end. */
const ACCOUNTS_AT_ONCE = 100;

/** The last ABI that a contract set; `id` is undefined when it was removed. */
export interface ReplayedAbi {
  blockNum: number;
  id: string | undefined;
}

/** The stored versions in force before and after a change. */
export interface AbisAround {
  before: AbiVersion | undefined;
  after: AbiVersion | undefined;
}

/**
 * Compares stored ABI versions with the ABIs that the stored `setabi` actions set: each has exactly the bytes of its action and is
 * in force until the contract's next one. The versions of before the first replayed `setabi` of a contract are not compared.
 */
export class AbiVerifier {
  constructor(
    private readonly reader: HistoryReader,
    readonly latest = new Map<string, ReplayedAbi>(),
  ) {}

  /** Reads the versions in force before and after a change. Rejects with the errors of the store. */
  async read({ account, blockNum, sequence }: SetAbi): Promise<AbisAround> {
    const requests = [sequence, sequence + 1].map((at) => ({ account, blockNum, sequence: at }));
    const [before, after] = await this.readVersions(requests);
    return { before, after };
  }

  /** Compares the versions in force before and after a change. */
  verify({ account, abi, blockNum, sequence }: SetAbi, { before, after }: AbisAround): StoredFault[] {
    const faults = this.latestFaults(account, before);
    const isRight = abi.length === 0 ? after === undefined : (after?.bytes?.equals(abi) ?? false);
    if (isRight) {
      this.latest.set(account, { blockNum, id: after?.id });
    } else {
      // Without the right version its id is not known, so later ones cannot be compared with it.
      this.latest.delete(account);
      faults.push({
        blockNum,
        code: 'abi',
        detail: `the ABI that ${account} set at ${sequence} is not stored as it was set`,
      });
    }
    return faults;
  }

  /** None where one is stored damaged. */
  private async readVersions(requests: AbiRequest[]): Promise<(AbiVersion | undefined)[]> {
    try {
      return (await this.reader.getAbis(requests, () => false, MAX_BYTES)).versions;
    } catch (error) {
      if (hasErrorCode(error, 'INTERNAL')) return [];
      throw error;
    }
  }

  /** Compares the versions that are in force after a block, the last one that was replayed. */
  async verifyLatest(blockNum: number): Promise<StoredFault[]> {
    const faults: StoredFault[] = [];
    const accounts = [...this.latest.keys()];
    for (let start = 0; start < accounts.length; start += ACCOUNTS_AT_ONCE) {
      const some = accounts.slice(start, start + ACCOUNTS_AT_ONCE);
      const requests = some.map((account) => ({ account, blockNum, sequence: Number.MAX_SAFE_INTEGER }));
      const { versions } = await this.reader.getAbis(requests, () => true, 0);
      faults.push(...some.flatMap((account, index) => this.latestFaults(account, versions[index])));
    }
    return faults;
  }

  private latestFaults(account: string, found: AbiVersion | undefined): StoredFault[] {
    const latest = this.latest.get(account);
    if (!latest || latest.id === found?.id) return [];
    const detail = `another ABI of ${account} than that of its last setabi is in force later`;
    return [{ blockNum: latest.blockNum, code: 'abi', detail }];
  }
}
