// The types of a plug-in. The package publishes this file as its declarations, so it imports nothing.

/** A kind of chat server that the tester can measure: the default export of a module. */
export interface TargetPlugin {
  /** Its name in results. */
  name: string;
  dialect: Dialect;
  /**
   * Connects to a server.
   * @throws {Error} that says what to do
   */
  open(options: PluginOptions): Promise<ChatServer>;
}

export interface PluginOptions {
  /** The value of --url; undefined: not given. */
  url: string | undefined;
  /** For a server that is started: how many processes, and on which processors (as in `taskset --cpu-list`). */
  processes?: number;
  cores?: string;
  /** Must be called for every failed request, including those that are retried. */
  onError: (code: string) => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** A server, and the channel that all members share. Results show missing optional methods as unknown. */
export interface ChatServer {
  /** The processes that clients connect to; members spread over them. Never empty. */
  readonly urls: readonly string[];
  /** true: started for this run. */
  readonly isThrowaway?: boolean;
  /**
   * Creates another member.
   * @returns the connection's `auth.token`. Absent: no credentials needed.
   */
  join?(): Promise<string>;
  /** Called when all members are connected. */
  openSender(): Promise<Sender>;
  /** How many of the stored contents satisfy `isMeasured`. */
  countStored?(isMeasured: (content: string) => boolean): Promise<number>;
  /** Absent: read from --metrics-url, if given. */
  usage?(): Promise<ServerUsage | null>;
  /** Only the CPU time, if there is a cheaper way to get it. */
  cpuSeconds?(): Promise<number | null>;
  /** Stops what was started and removes what was created. Safe to call twice. */
  close(): Promise<void>;
}

/** Resources that a server has used so far. */
export interface ServerUsage {
  rssBytes: number | null;
  cpuSeconds: number | null;
  /** Event-loop delay since the last sample, if the server reports it. */
  eventLoopP99Ms: number | null;
  eventLoopMaxMs: number | null;
}

/** Sends messages to the whole audience. */
export interface Sender {
  /**
   * Resolves when the server has acknowledged.
   * @throws {Error} with the error code as its message
   */
  send(content: string): Promise<void>;
  close(): void;
}

/** A decoded packet from the server. Messages are the `content` and the `rev` of each, in order. */
export type ServerEvent =
  | { kind: "messages"; contents: unknown[]; revs: number[] }
  /** From here on the connection counts as online. */
  | { kind: "ready" }
  /** The server says that this connection has missed events. */
  | { kind: "resync" }
  /** The server is going away: reconnect after a random part of this time. */
  | { kind: "draining"; withinMs: number }
  | { kind: "other" };

export interface Login {
  event: string;
  payload: unknown;
  /** @returns the reason of a rejection; undefined: accepted */
  refusal(answer: unknown): string | undefined;
}

/**
 * The protocol of a kind of server; plain data and pure functions, because every receiving thread loads its
 * own.
 */
export interface Dialect {
  /** "socket.io": Engine.IO 4 and Socket.IO 5 over a WebSocket; "websocket": text frames, see `readText`. */
  transport: "socket.io" | "websocket";
  /** The encoding of Socket.IO packets: text by default, or socket.io-msgpack-parser in binary frames. */
  parser?: "msgpack";
  path: string;
  /**
   * "websocket" only: the first text that a connection sends.
   * @param credential what the plug-in's `join` returned
   */
  hello?: (credential: string | null) => string;
  /** "websocket" only: decodes a text frame. Absent: each is a JSON array [event, payload] for `read`. */
  readText?: (text: string) => ServerEvent;
  /** "socket.io" only: the first call of every connection; it is online once that is granted. */
  login?: Login;
  /** false: a connection is online as soon as its transport is; true: after the `ready` event. */
  waitsForReady: boolean;
  read(event: string, payload: unknown): ServerEvent;
}
