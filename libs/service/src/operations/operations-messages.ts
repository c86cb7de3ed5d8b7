/** What the operations thread is started with. */
export interface OperationsThreadData {
  /** Where it listens. */
  address: { host: string; port: number };
  /** Where the main thread answers it: `http://127.0.0.1:…`. */
  mainThreadUrl: string;
  /** The main thread is taken for dead when it has answered nothing for so long. */
  silentAfterMs: number;
}

export type ToOperations = { kind: 'stop' };

export type FromOperations =
  | { kind: 'listening'; url: string }
  | { kind: 'failed'; error: { code: string | undefined; message: string } }
  | { kind: 'stopped' };
