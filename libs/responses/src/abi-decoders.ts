import type { AbiDecoder } from '@antelope-history/abi';
import type { AbiRequest } from '@antelope-history/store';

/** The decoders that a response needs, by position in the chain. */
export interface AbiDecoders {
  /** Decoder of the ABI in force just before the action with the global sequence; undefined if the contract has none. */
  at(account: string, blockNum: number, sequence: number): AbiDecoder | undefined;
}

/**
 * Creates the decoders of a response.
 *
 * @param requests the ABI requests of the response (`abisOf…`)
 * @param decoders one per request, in the same order; undefined if the contract has no valid ABI. A decoder applies from
 *   its requested position up to the next requested position of the same contract.
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
  for (const list of versions.values()) list.sort((left, right) => comparePositions(left.request, right.request));
  return {
    at: (account, blockNum, sequence) => findLastAt(versions.get(account) ?? [], { blockNum, sequence })?.decoder,
  };
}

interface AbiVersionAt {
  request: AbiRequest;
  decoder: AbiDecoder | undefined;
}

type Position = Pick<AbiRequest, 'blockNum' | 'sequence'>;

function comparePositions(left: Position, right: Position): number {
  return left.blockNum - right.blockNum || left.sequence - right.sequence;
}

/** The last version at or before the position, by binary search: a page of a busy contract calls this a thousand times. */
function findLastAt(versions: AbiVersionAt[], position: Position): AbiVersionAt | undefined {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions((versions[middle] as AbiVersionAt).request, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return versions[low - 1];
}
