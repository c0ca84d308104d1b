import type { Dialect } from "./dialect.ts";
import type { Sender, ServerUsage } from "./target.ts";

/** A kind of chat server that the tester can measure: a module whose default export this is. */
export interface TargetPlugin {
  /** What results call it. */
  name: string;
  dialect: Dialect;
  /** Gets in touch with a server. @throws {Error} that says what to do. */
  open(options: PluginOptions): Promise<ChatServer>;
}

export interface PluginOptions {
  /** What was said with --url; undefined: nothing was. */
  url: string | undefined;
  /** To be told of every request that failed, those included that are repeated. */
  onError: (code: string) => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** One server, and the place in it where all members meet. What is optional is shown as unknown where it is not there. */
export interface ChatServer {
  /** The processes that clients connect to; members spread over them. Never empty. */
  readonly urls: readonly string[];
  /** true: it was started for this run. */
  readonly isThrowaway?: boolean;
  /** Makes one more user who is a member. @returns what goes into `auth.token` of the connection. Absent: anybody may connect. */
  join?(): Promise<string>;
  /** Called when all members are connected. */
  openSender(): Promise<Sender>;
  /** How many of the contents that `isMeasured` the server has stored. */
  countStored?(isMeasured: (content: string) => boolean): Promise<number>;
  /** Absent: it is read from --metrics-url, where one was given. */
  usage?(): Promise<ServerUsage | null>;
  /** The CPU time alone, where there is a cheaper way to it. */
  cpuSeconds?(): Promise<number | null>;
  /** Stops what was started and removes what was made. Safe to call twice. */
  close(): Promise<void>;
}
