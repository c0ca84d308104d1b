import { randomBytes } from "node:crypto";
import { fromEnvironment, JsonApi } from "./json-api.ts";
import type { TargetPlugin, WebSocketDialect } from "./plugin.ts";

/** The most that the server returns. */
const PAGE_POSTS = 200;
/** The server hashes each member's password. */
const MOST_REGISTRATIONS = 8;

interface Post {
  message: string;
}

interface Frame {
  seq_reply?: number;
  status?: string;
  error?: { id?: string };
  event?: string;
  data?: { post?: string };
}

/** Mattermost's WebSocket, API version 4: a challenge, then events. */
export const MATTERMOST_DIALECT: WebSocketDialect = {
  transport: "websocket",
  path: "/api/v4/websocket",
  hello: (token) => JSON.stringify({ seq: 1, action: "authentication_challenge", data: { token } }),
  waitsForReady: true,
  read(text) {
    const { seq_reply, status, error, event, data } = JSON.parse(String(text)) as Frame;
    if (seq_reply === 1) {
      return status === "OK" ? { kind: "ready" } : { kind: "refused", code: error?.id ?? "REFUSED" };
    }
    if (event !== "posted") return { kind: "other" };
    return { kind: "messages", contents: [(JSON.parse(data!.post!) as Post).message], revs: [0] };
  },
};

/** A running Mattermost: a team and users that an administrator's token creates and deactivates. */
export const mattermost: TargetPlugin = {
  name: "mattermost",
  dialect: MATTERMOST_DIALECT,
  mostRegistrations: MOST_REGISTRATIONS,
  async open({ url, onError, signal }) {
    if (url === undefined) throw new Error("set the address of the server with --url");
    const token = fromEnvironment("MATTERMOST_ADMIN_TOKEN", "an access token of a system administrator");
    const open = (stop: AbortSignal) =>
      new JsonApi({
        product: "Mattermost",
        base: new URL("/api/v4/", url),
        headers: { authorization: `Bearer ${token}` },
        advice: {
          400: "For teams of more than 50 members, raise TeamSettings.MaxUsersPerTeam",
          429: "Turn off RateLimitSettings.Enable for a test",
        },
        onError,
        signal: stop,
      });
    const api = open(signal);
    const run = `bench-${randomBytes(5).toString("hex")}`;
    const create = { name: run, display_name: run };
    const team = await api.call<{ id: string }>("teams", { body: { ...create, type: "I" } });
    const channel = await api.call<{ id: string }>("channels", {
      body: { ...create, team_id: team.id, type: "P" },
    });
    const users: string[] = [];
    let number = 0;
    let isClosed = false;
    return {
      urls: [url],
      async join() {
        const username = `${run}-${number++}`;
        const password = `Aa1!${randomBytes(12).toString("hex")}`;
        const email = `${username}@example.com`;
        const { id } = await api.call<{ id: string }>("users", { body: { username, password, email } });
        users.push(id);
        await api.call(`teams/${team.id}/members`, { body: { team_id: team.id, user_id: id } });
        await api.call(`channels/${channel.id}/members`, { body: { user_id: id } });
        const login = { body: { login_id: username, password } };
        const { headers } = await api.callWithHeaders("users/login", login);
        return headers.get("token") ?? "";
      },
      openSender: async () => ({
        send: async (message) =>
          void (await api.call("posts", { body: { channel_id: channel.id, message } })),
        close: () => {},
      }),
      async countStored(isMeasured) {
        let stored = 0;
        for (let page = 0; ; page++) {
          const path = `channels/${channel.id}/posts?per_page=${PAGE_POSTS}&page=${page}`;
          const { order, posts } = await api.callAgain<{ order: string[]; posts: Record<string, Post> }>(
            path,
          );
          stored += order.filter((id) => isMeasured(posts[id]!.message)).length;
          if (order.length < PAGE_POSTS) return stored;
        }
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        const last = open(AbortSignal.timeout(60_000));
        try {
          await last.call(`teams/${team.id}`, { method: "DELETE" });
          for (const id of users) await last.call(`users/${id}`, { method: "DELETE" });
        } catch (error) {
          process.stderr.write(`Could not delete the run's team and users (${(error as Error).message}).\n`);
        }
      },
    };
  },
};
