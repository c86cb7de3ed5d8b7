import type { ServerResponse } from 'node:http';

/**
 * The header by which a gateway asks an API to report what a stream costs, within the stream and in the unit of the cost limit: as comments
 * among server-sent events, and as pongs of a WebSocket, which need no response (RFC 6455, 5.5.3). Clients ignore both.
 */
export const REPORT_COST_HEADER = 'x-report-cost';

/** The text of a comment or pong: `cost` and the units since the last report. */
export function costReport(cost: number): string {
  return `cost ${cost}`;
}

/** Adds to the cost of a stream. */
export type ChargeStream = (cost: number) => void;

const charges = new WeakMap<ServerResponse, ChargeStream>();

/** Sets what charges the client of a stream for the work on it, besides what the stream sends. */
export function setStreamCharge(response: ServerResponse, charge: ChargeStream): void {
  charges.set(response, charge);
}

/** What charges the client of a stream; undefined for a client without a limit, and in an API behind a gateway. */
export function streamChargeOf(response: ServerResponse): ChargeStream | undefined {
  return charges.get(response);
}
