/** In the history we answer for all chains as Leap does; these take out of our JSON what EOSIO 2.0 has not. */

/** It gives `hex_data` only where it has decoded the data. */
function withoutHexOfUndecoded(json: string): string {
  return json.replace(/"data":"([0-9a-f]*)","hex_data":"\1"/g, '"data":"$1"');
}

/**
 * Its history plugin measures `elapsed`, which SHiP does not carry; has no block id yet when it notes an action; and
 * knows no return values.
 */
export function withoutLeapActionFields(json: string): string {
  return withoutElapsed(withoutHexOfUndecoded(json))
    .replace(/"producer_block_id":"[0-9a-f]*"/g, '"producer_block_id":null')
    .replace(/,"return_value_hex_data":""/g, '');
}

export function withoutElapsed(json: string): string {
  return json.replace(/"elapsed":\d+/g, '"elapsed":0');
}

/** JSON.parse rounds integers of more digits than a double has; the node quotes them only when they are positive. */
export function withLongIntegersQuoted(json: string): string {
  return json.replace(/([:,[])(-\d{16,})(?=[,\]}])/g, '$1"$2"');
}
