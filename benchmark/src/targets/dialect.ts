import { importPlugin } from "./import-plugin.ts";
import { TAILCHAT_DIALECT } from "./tailchat/tailchat-dialect.ts";

/** What a packet from the server means to the tester. Messages are the `content` and the `rev` of each, in order. */
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
  /** @returns why the answer says no; undefined: it says yes. */
  refusal(answer: unknown): string | undefined;
}

/** How a kind of server speaks; plain data and pure functions, for every receiving thread loads its own. */
export interface Dialect {
  /** "socket.io": Engine.IO 4 and Socket.IO 5 over a WebSocket; "websocket": text frames, see `readText`. */
  transport: "socket.io" | "websocket";
  /** How Socket.IO packets are written: as text, or by socket.io-msgpack-parser in binary frames. Text where nothing is said. */
  parser?: "msgpack";
  path: string;
  /** "websocket" only: the first text that a connection sends. @param credential what `join` of the plug-in gave */
  hello?: (credential: string | null) => string;
  /** "websocket" only: what a text frame means. Absent: each is a JSON array [event, payload], which `read` understands. */
  readText?: (text: string) => ServerEvent;
  /** "socket.io" only: what every connection asks for first; it is online once that is granted. */
  login?: Login;
  /** false: a connection is online as soon as its transport is; true: when the `ready` event has come. */
  waitsForReady: boolean;
  read(event: string, payload: unknown): ServerEvent;
}

/** `message.created` as in the contract; the bare servers send the same, so that all carry the same bytes. */
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
/** One of the known dialects, or the file of the plug-in that has it. */
export type DialectRef = DialectName | `file:${string}`;

export async function loadDialect(ref: DialectRef): Promise<Dialect> {
  return isFile(ref) ? (await importPlugin(ref)).dialect : DIALECTS[ref];
}

function isFile(ref: DialectRef): ref is `file:${string}` {
  return ref.startsWith("file:");
}
