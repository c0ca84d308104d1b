import type { Dialect } from "./dialect.ts";
import type { Sender, ServerUsage } from "./target.ts";

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
