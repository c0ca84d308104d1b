import { importPlugin } from "./import-plugin.ts";
import { TAILCHAT_DIALECT } from "./tailchat/tailchat-dialect.ts";

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

interface Login {
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

/** `message.created` as in the contract; the bare servers send the same bytes. */
function read(event: string, payload: unknown): ServerEvent {
  if (event === "message.created") {
    const messages = (payload as { messages?: unknown } | null)?.messages;
    if (!Array.isArray(messages)) return { kind: "other" };
    const all = messages as ({ content?: unknown; rev?: number } | null)[];
    return {
      kind: "messages",
      contents: all.map((message) => message?.content),
      revs: all.map((message) => message?.rev ?? 0),
    };
  }
  if (event === "server.draining") {
    const within = (payload as { reconnectWithinMs?: unknown } | null)?.reconnectWithinMs;
    return { kind: "draining", withinMs: typeof within === "number" ? within : 0 };
  }
  return event === "ready" || event === "resync" ? { kind: event } : { kind: "other" };
}

export const DIALECTS = {
  fanfare: { transport: "socket.io", path: "/socket.io/", waitsForReady: true, read },
  "socket.io": { transport: "socket.io", path: "/socket.io/", waitsForReady: false, read },
  ws: { transport: "websocket", path: "/", waitsForReady: false, read },
  tailchat: TAILCHAT_DIALECT,
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;
/** One of the known dialects, or the file of the plug-in that defines it. */
export type DialectRef = DialectName | `file:${string}`;

export async function loadDialect(ref: DialectRef): Promise<Dialect> {
  return isFile(ref) ? (await importPlugin(ref)).dialect : DIALECTS[ref];
}

function isFile(ref: DialectRef): ref is `file:${string}` {
  return ref.startsWith("file:");
}
