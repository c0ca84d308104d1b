// The types of a plug-in. The package publishes this file as its declarations, so it imports nothing.

/** A kind of chat server that the tester can measure: the default export of a module. */
export interface TargetPlugin {
  /** Its name in results. */
  name: string;
  dialect: Dialect;
  /** Concurrent registrations that the server can take; default: --connecting. */
  mostRegistrations?: number;
  /**
   * Connects to a server.
   * @throws {Error} that says what to do
   */
  open(options: PluginOptions): Promise<ChatServer>;
}

export interface PluginOptions {
  /** The value of --url; undefined: not given. */
  url: string | undefined;
  /** --tokens and --channel: users that exist. The tokens of the members are their credentials, instead of `join`'s. */
  existing?: { senderToken: string; channel: string | undefined };
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
  /** What was started, if that can differ, for example "2 processes". */
  readonly size?: string;
  /**
   * Creates another member.
   * @returns the connection's `auth.token`. Absent: no credentials needed.
   */
  join?(): Promise<string>;
  /** Of a member of --tokens. Absent: the token itself. */
  credentialOf?(token: string): string;
  /** Called when all members are connected. */
  openSender(): Promise<Sender>;
  /** The text of every stored message of the channel, in any order. */
  contents?(): AsyncIterable<unknown>;
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
  /** The longest event-loop delay since the last sample, if the server reports it. */
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

/** Text, or the bytes of a binary frame. */
export type Frame = string | Uint8Array;

export interface PollRequest {
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** What a member reads in the server's data. Messages are the `content` and the `rev` of each, in order. */
export type ServerEvent =
  | { kind: "messages"; contents: unknown[]; revs: number[] }
  /** From here on the connection counts as online. */
  | { kind: "ready" }
  /** Answer the server with this frame. */
  | { kind: "send"; frame: Frame }
  /** Long polling: the next request. */
  | { kind: "poll"; request: PollRequest }
  /** The server rejects the member: the connection ends with this code. */
  | { kind: "refused"; code: string }
  /** The server says that this connection has missed events. */
  | { kind: "resync" }
  /** The server is going away: reconnect after a random part of this time. */
  | { kind: "draining"; withinMs: number }
  | { kind: "other" };

/** Several in the order in which they count. */
export type Events = ServerEvent | readonly ServerEvent[];

export interface AnySocketDialect {
  path: string;
  /** Changes the request that opens the connection, for tokens in the query or in headers. */
  upgrade?: (credential: string | null) => { path?: string; headers?: Record<string, string> };
  /** false: a connection is online as soon as its transport is; true: after the `ready` event. */
  waitsForReady: boolean;
}

/** Engine.IO 4 and Socket.IO 5 over a WebSocket. The credential goes into `auth.token`. */
export interface SocketIoDialect extends AnySocketDialect {
  transport: "socket.io";
  /** The encoding of packets: text by default, or socket.io-msgpack-parser in binary frames. */
  parser?: "msgpack";
  /** The first call of every connection. `read` gets the answer, with the same name. */
  hello?: { event: string; payload: unknown };
  read(event: string, payload: unknown): Events;
}

/** Text and binary frames. */
export interface WebSocketDialect extends AnySocketDialect {
  transport: "websocket";
  /** The first frame of every connection; further steps are answers of `read`. */
  hello?: (credential: string | null) => Frame;
  /** Sent by every connection at this interval, each with its own phase. */
  heartbeat?: { everyMs: number; frame: Frame };
  /**
   * @param frame the text, or the bytes of a binary frame
   * @param credential null once the connection is ready: equal frames are then read once for all members
   */
  read(frame: Frame, credential: string | null): Events;
}

/** HTTP requests that the server holds until there is something to say, one after the other. */
export interface LongPollDialect {
  transport: "long-poll";
  /** Paths of requests are appended to it. */
  path: string;
  hello(credential: string | null): PollRequest;
  /**
   * A member is online after `ready`, and every answer must lead to a `poll`.
   * @param body of an answer with status 2xx; others end the connection
   * @param request what was answered
   */
  read(body: string, credential: string | null, request: PollRequest): Events;
}

/** The protocol of a kind of server; plain data and pure functions, because every receiving thread loads its own. */
export type Dialect = SocketIoDialect | WebSocketDialect | LongPollDialect;
