/** The start data of the operations thread. */
export interface OperationsThreadData {
  /** The address to listen on. */
  address: { host: string; port: number };
  /** Base URL of the main thread's listener: `http://127.0.0.1:…`. */
  mainThreadUrl: string;
  /** The process is reported as down when the main thread has not responded for this time. */
  silentAfterMs: number;
}

export type ToOperations = { kind: 'stop' };

export type FromOperations =
  | { kind: 'listening'; url: string }
  | { kind: 'failed'; error: { code: string | undefined; message: string } }
  | { kind: 'stopped' };
