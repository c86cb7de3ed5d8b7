/** The header in which an API reports the cost of a response to the gateway, in the unit of the cost limit. */
export const COST_HEADER = 'x-request-cost';

/** Bytes of a response per unit of cost. */
export const BYTES_PER_COST = 64 * 1024;
