import type { AbiDecoder } from '@antelope-history/abi';
import type { AbiRequest } from '@antelope-history/store';

/** The decoders that an answer needs, by the place in the chain at which they are needed. */
export interface AbiDecoders {
  /** The ABI in force just before the action with that global sequence; undefined where the contract has none. */
  at(account: string, blockNum: number, sequence: number): AbiDecoder | undefined;
}

/**
 * Makes the decoders of an answer from what was found under its requests (`abisOf…`): one per request, in order,
 * undefined where the contract has no ABI or none that is valid. What holds at a requested place holds up to the next
 * requested one of the same contract.
 */
export function createAbiDecoders(
  requests: readonly AbiRequest[],
  decoders: readonly (AbiDecoder | undefined)[],
): AbiDecoders {
  const versions = new Map<string, AbiVersionAt[]>();
  requests.forEach((request, index) => {
    const version = { request, decoder: decoders[index] };
    const known = versions.get(request.account);
    if (known) known.push(version);
    else versions.set(request.account, [version]);
  });
  for (const list of versions.values()) list.sort((left, right) => comparePlaces(left.request, right.request));
  return {
    at: (account, blockNum, sequence) => findLastAt(versions.get(account) ?? [], { blockNum, sequence })?.decoder,
  };
}

interface AbiVersionAt {
  request: AbiRequest;
  decoder: AbiDecoder | undefined;
}

type Place = Pick<AbiRequest, 'blockNum' | 'sequence'>;

function comparePlaces(left: Place, right: Place): number {
  return left.blockNum - right.blockNum || left.sequence - right.sequence;
}

/** The last version at or before the place: one page of a busy contract may ask a thousand times. */
function findLastAt(versions: AbiVersionAt[], place: Place): AbiVersionAt | undefined {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlaces((versions[middle] as AbiVersionAt).request, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return versions[low - 1];
}
