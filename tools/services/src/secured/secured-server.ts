/** PEM files of a server's certificate for 127.0.0.1, of its key, and of the authority that signed it. */
export interface ServerFiles {
  cert: string;
  key: string;
  ca: string;
}

/** A server with TLS, and users of its own, for one test. */
export interface SecuredServer {
  /** Without a user. */
  url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}
