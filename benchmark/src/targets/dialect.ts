/** What a packet from the server means to the tester. Messages are the `content` and the `rev` of each, in order. */
type ServerEvent =
  | { kind: "messages"; contents: unknown[]; revs: number[] }
  /** From here on the connection counts as online. */
  | { kind: "ready" }
  /** The server says that this connection has missed events. */
  | { kind: "resync" }
  /** The server is going away: reconnect after a random part of this time. */
  | { kind: "draining"; withinMs: number }
  | { kind: "other" };

/** How a kind of server speaks; plain data and pure functions, so that worker threads can load it by name. */
export interface Dialect {
  /** "socket.io": Engine.IO 4 and Socket.IO 5 over a WebSocket; "websocket": a JSON array [event, payload] in each text frame. */
  transport: "socket.io" | "websocket";
  path: string;
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
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;
