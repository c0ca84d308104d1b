import type { Dialect, ServerEvent } from "./plugin.ts";

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
  ws: {
    transport: "websocket",
    path: "/",
    waitsForReady: false,
    read(frame) {
      const [event, payload] = JSON.parse(String(frame)) as [string, unknown];
      return read(event, payload);
    },
  },
} as const satisfies Record<string, Dialect>;
