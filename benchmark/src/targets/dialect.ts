import { CENTRIFUGO_DIALECT } from "./centrifugo.ts";
import { MATRIX_DIALECT } from "./matrix.ts";
import { MATTERMOST_DIALECT } from "./mattermost.ts";
import { importPlugin } from "./import-plugin.ts";
import type { Dialect, ServerEvent } from "./plugin.ts";
import { TAILCHAT_DIALECT } from "./tailchat/tailchat-dialect.ts";

export type {
  Dialect,
  Events,
  Frame,
  LongPollDialect,
  PollRequest,
  ServerEvent,
  SocketIoDialect,
  WebSocketDialect,
} from "./plugin.ts";

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
  tailchat: TAILCHAT_DIALECT,
  centrifugo: CENTRIFUGO_DIALECT,
  matrix: MATRIX_DIALECT,
  mattermost: MATTERMOST_DIALECT,
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
