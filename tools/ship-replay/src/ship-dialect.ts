/**
 * The behaviour of a node's socket. The recorded transcripts show the differences between Leap 4.0.6 and EOSIO 2.0.13; the
 * recording's ABI frame identifies the version.
 */
export interface ShipDialect {
  /** Request types by variant tag; `undefined` for a type that a recording has no data for. */
  requests: readonly (string | undefined)[];
  /** Result types by variant tag. */
  results: readonly string[];
  statusHasChainId: boolean;
  /** Each new head is announced by a result without a block when no block is due. */
  announcesHeads: boolean;
  /** A request below the node's first block starts at that block, instead of one result without a block per number. */
  startsAtFirstBlock: boolean;
  /** A fork also moves the cursor of a connection without credit; Leap ignores it (session.hpp `send_update`). */
  rewindsWithoutCredit: boolean;
  /** A block in have_positions at or above the start is skipped (session.hpp `position_it`). */
  skipsKnownBlocks: boolean;
  /** LIB advances right after a block is announced; Leap continues to report the LIB of that moment. */
  libMovesAfterBlock: boolean;
}

type Behaviour = Omit<ShipDialect, 'requests' | 'results'>;

const EOSIO_2_0: Behaviour = {
  statusHasChainId: false,
  announcesHeads: true,
  startsAtFirstBlock: false,
  rewindsWithoutCredit: true,
  skipsKnownBlocks: false,
  libMovesAfterBlock: true,
};

const LEAP: Behaviour = {
  statusHasChainId: true,
  announcesHeads: false,
  startsAtFirstBlock: true,
  rewindsWithoutCredit: false,
  skipsKnownBlocks: true,
  libMovesAfterBlock: false,
};

interface ShipAbi {
  structs: { name: string; fields: { name: string }[] }[];
  variants: { name: string; types: string[] }[];
}

/** Reads the dialect from the ABI frame: EOSIO 2.0 has no `chain_id` in its status. Throws for any other ABI. */
export function readDialect(abiFrame: string): ShipDialect {
  const abi = JSON.parse(abiFrame) as Partial<ShipAbi>;
  const typesOf = (variant: string): string[] => abi.variants?.find(({ name }) => name === variant)?.types ?? [];
  const hasField = (struct: string, field: string): boolean =>
    abi.structs?.find(({ name }) => name === struct)?.fields.some(({ name }) => name === field) ?? false;

  const results = typesOf('result');
  if (!typesOf('request').includes('get_blocks_request_v0') || !results.includes('get_blocks_result_v0')) {
    throw new Error('The ABI frame has no get_blocks_request_v0 or get_blocks_result_v0: no state history ABI');
  }
  // EOSIO 2.1 uses the name for another request, whose results carry the block as a variant that no recording has.
  const isUnsupported = (type: string): boolean =>
    type === 'get_blocks_request_v1' && !hasField(type, 'fetch_finality_data');
  return {
    requests: typesOf('request').map((type) => (isUnsupported(type) ? undefined : type)),
    results,
    ...(hasField('get_status_result_v0', 'chain_id') ? LEAP : EOSIO_2_0),
  };
}
