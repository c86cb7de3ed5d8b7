import type { HistoryError } from '@antelope-history/schemas';
import type { ServerLink } from './server-link';

/** What publishers and consumers need of the broker that they are part of. */
export interface BrokerContext {
  link: ServerLink;
  /** The words for what ended a channel. */
  toError(error: unknown): HistoryError;
  onTrouble(error: HistoryError): void;
}
