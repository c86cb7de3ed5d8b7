/** The history endpoints respond like Leap for all chains; these functions remove from the JSON what EOSIO 2.0 does not have. */

/** EOSIO 2.0 shows `hex_data` only if it has decoded the data. */
function withoutHexOfUndecoded(json: string): string {
  return json.replace(/"data":"([0-9a-f]*)","hex_data":"\1"/g, '"data":"$1"');
}

/**
 * The history plugin of EOSIO 2.0 measures `elapsed`, which SHiP does not contain, has no block id yet when it stores an
 * action, and has no return values.
 */
export function withoutLeapActionFields(json: string): string {
  return withoutElapsed(withoutHexOfUndecoded(json))
    .replace(/"producer_block_id":"[0-9a-f]*"/g, '"producer_block_id":null')
    .replace(/,"return_value_hex_data":""/g, '');
}

export function withoutElapsed(json: string): string {
  return json.replace(/"elapsed":\d+/g, '"elapsed":0');
}

/** Quotes integers with more digits than a double has, which JSON.parse rounds; the node quotes only positive ones. */
export function withLongIntegersQuoted(json: string): string {
  return json.replace(/([:,[])(-\d{16,})(?=[,\]}])/g, '$1"$2"');
}
