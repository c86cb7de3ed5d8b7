import { createAbiDecoder, readName, type AbiDecoder } from '@antelope-history/abi';
import { stringifyJson, type JsonValue } from '@antelope-history/json';
import { actionTraces, executedTraces, fromHex, sequenceOf, type RecordedBlock } from './recorded-block';

/** An ABI from a position of the chain on. */
export interface AbiVersion {
  blockNum: number;
  /** The global sequence of the setabi action; 0 for an ABI of the initial state. */
  sequence: number;
  decoder: AbiDecoder | undefined;
  packed: Buffer;
}

/** The position of an action in the chain. */
export interface ActionPosition {
  blockNum: number;
  sequence: number;
}

/** The ABIs of each contract over time, on one branch. */
export class AbiHistory {
  private readonly versions = new Map<string, AbiVersion[]>();

  constructor(blocks: Iterable<RecordedBlock>) {
    for (const block of blocks) {
      const setInActions = this.addActions(block);
      for (const { name, abi } of block.accounts) {
        if (abi !== '' && !setInActions.has(name)) this.add(name, { ...versionOf(fromHex(abi)), ...firstOf(block) });
      }
    }
  }

  /** The decoder of the ABI that a contract had just before the action at a position. */
  inForce(account: string, { blockNum, sequence }: ActionPosition): AbiDecoder | undefined {
    const isBefore = (version: AbiVersion): boolean =>
      version.blockNum < blockNum || (version.blockNum === blockNum && version.sequence < sequence);
    return this.versions.get(account)?.findLast(isBefore)?.decoder;
  }

  atEnd(account: string): AbiDecoder | undefined {
    return this.versions.get(account)?.at(-1)?.decoder;
  }

  /** The first ABI that an action set; the ABI of the initial state when no action set one. */
  firstSet(account: string): AbiDecoder | undefined {
    const versions = this.versions.get(account) ?? [];
    return (versions.find(({ sequence }) => sequence > 0) ?? versions[0])?.decoder;
  }

  versionsOf(account: string): (AbiDecoder | undefined)[] {
    return (this.versions.get(account) ?? []).map(({ decoder }) => decoder);
  }

  /** Every version of every account, in the order of the chain. */
  all(): ReadonlyMap<string, readonly AbiVersion[]> {
    return this.versions;
  }

  private addActions(block: RecordedBlock): Set<string> {
    const accounts = new Set<string>();
    for (const trace of executedTraces(block).flatMap(actionTraces)) {
      const { act, receiver } = trace;
      if (receiver !== 'eosio' || act.account !== 'eosio' || act.name !== 'setabi') continue;
      const { account, abi } = readSetabi(fromHex(act.data));
      accounts.add(account);
      this.add(account, { ...versionOf(abi), blockNum: block.num, sequence: sequenceOf(trace) });
    }
    return accounts;
  }

  private add(account: string, version: AbiVersion): void {
    this.versions.set(account, [...(this.versions.get(account) ?? []), version]);
  }
}

const versionOf = (packed: Buffer): Pick<AbiVersion, 'decoder' | 'packed'> => ({
  decoder: createAbiDecoder(packed),
  packed,
});
const firstOf = ({ num }: RecordedBlock): ActionPosition => ({ blockNum: num, sequence: 0 });

/** Reads the data of `setabi`: the account, then the length of the ABI, then the ABI. */
function readSetabi(data: Buffer): { account: string; abi: Buffer } {
  let length = 0;
  let at = 8;
  for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
    byte = data[at++] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
  }
  return { account: readName(data, 0), abi: data.subarray(at, at + length) };
}

/** An action's data as the chain and history plugins show it: hex when decoding fails. */
export function shownData(decoder: AbiDecoder | undefined, name: string, hex: string): JsonValue {
  return decoder?.decodeAction(name, fromHex(hex)) ?? hex;
}

/** Whether two values have the same JSON text; undefined is only equal to itself. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left === undefined || right === undefined ? left === right : stringifyJson(left) === stringifyJson(right);
}
