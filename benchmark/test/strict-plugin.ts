import type { ServerEvent } from "../src/targets/plugin.ts";
import type { ChatServer, PluginOptions, TargetPlugin } from "../src/targets/plugin.ts";

type Item = { type: "ping" | "subscribed" | "message"; text: string } | { type: "no"; why: string };

const strict: TargetPlugin = {
  name: "strict",
  dialect: {
    transport: "websocket",
    path: "/chat",
    upgrade: (token) => ({
      path: `/chat?token=${encodeURIComponent(token!)}`,
      headers: { cookie: "theme=dark" },
    }),
    waitsForReady: true,
    hello: (token) => `login ${token}`,
    heartbeat: { everyMs: 200, frame: Buffer.from([0xbe, 0xef]) },
    read(frame, token) {
      if (typeof frame !== "string") return { kind: "send", frame: `subscribe as ${token}` };
      return (JSON.parse(frame) as Item[]).map((item): ServerEvent => {
        switch (item.type) {
          case "ping":
            return { kind: "send", frame: "pong" };
          case "subscribed":
            return { kind: "ready" };
          case "no":
            return { kind: "refused", code: item.why };
          case "message":
            return { kind: "messages", contents: [item.text], revs: [0] };
        }
      });
    },
  },
  open: openStrictServer,
};

export default strict;

/** Members have no accounts; messages are sent over HTTP. */
export async function openStrictServer({ url }: PluginOptions): Promise<ChatServer> {
  let users = 0;
  return {
    urls: [url!],
    join: async () => `user-${users++}`,
    openSender: async () => ({
      send: async (body) => void (await fetch(new URL("/publish", url), { method: "POST", body })),
      close: () => {},
    }),
    close: async () => {},
  };
}
