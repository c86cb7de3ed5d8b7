import type { LocalResponse } from '@antelope-history/gateway-proxy';
import type { PostedError } from '../threads/thread-messages';

/** What the main thread asks an API thread for, or tells it. */
export type ApiTask =
  | { kind: 'respond'; id: number; path: string; bytes: Uint8Array; contentEncoding: string | undefined }
  /** The client of the request has disconnected. */
  | { kind: 'abandon'; id: number }
  | LargeResponseReply;

/** Whether a large response may be rendered; `error`: why it may not. */
export interface LargeResponseReply {
  kind: 'large';
  id: number;
  error: PostedError | undefined;
}

/** What an API thread posts to the main thread. The pieces of a response are the receiver's own. */
export type ApiResult =
  | ({ kind: 'response'; id: number; pieces: Uint8Array[] } & Omit<LocalResponse, 'pieces'>)
  | { kind: 'error'; id: number; error: PostedError }
  | LargeResponseRequest;

/** Asks to render a large response, or ends that, also before there was a reply. */
export interface LargeResponseRequest {
  kind: 'enterLarge' | 'leaveLarge';
  id: number;
}
