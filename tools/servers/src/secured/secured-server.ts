/** PEM files of a server's certificate for 127.0.0.1, of its key, and of the authority that signed it. */
export interface ServerFiles {
  cert: string;
  key: string;
  ca: string;
}

/** A server with TLS and its own users, for one test. */
export interface SecuredServer {
  /** Contains no user. */
  url: string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}
