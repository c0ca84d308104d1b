import { randomBytes } from "node:crypto";
import { usageError } from "../cli/exit.ts";
import { fromEnvironment, JsonApi, running, type RunningServer } from "./json-api.ts";

/** The most that the server returns. */
const PAGE_POSTS = 200;

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

/** A running Mattermost: a team and users that an administrator's token creates and deactivates. */
export const mattermost = running({
  name: "mattermost",
  // The WebSocket of API version 4: a challenge, then events.
  dialect: {
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
  },
  async open({ url, existing, onError, signal }) {
    const token =
      existing?.senderToken ??
      fromEnvironment("MATTERMOST_ADMIN_TOKEN", "an access token of a system administrator");
    const api = new JsonApi({
      product: "Mattermost",
      base: new URL("/api/v4/", url),
      headers: { authorization: `Bearer ${token}` },
      advice: {
        HTTP_401: "Is MATTERMOST_ADMIN_TOKEN valid?",
        HTTP_429: "Turn off RateLimitSettings.Enable for the test.",
      },
      onError,
      signal,
    });
    if (existing) return channelOf(api, existing.channel);
    const { roles } = await api.call<{ roles: string }>("users/me");
    if (!roles.split(" ").includes("system_admin"))
      throw usageError("MATTERMOST_ADMIN_TOKEN must be the token of a system administrator.");
    const run = `bench-${randomBytes(5).toString("hex")}`;
    const create = { name: run, display_name: run };
    const team = await api.call<{ id: string }>("teams", { body: { ...create, type: "I" } });
    const users: string[] = [];
    const close = api.cleanUp("team and users", async (last) => {
      await last.call(`teams/${team.id}`, { method: "DELETE" });
      for (const id of users) await last.call(`users/${id}`, { method: "DELETE" });
    });
    const channel = await api
      .call<{ id: string }>("channels", { body: { ...create, team_id: team.id, type: "P" } })
      .catch(async (error: unknown) => {
        await close();
        throw error;
      });
    let number = 0;
    return {
      ...channelOf(api, channel.id),
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
        return String(headers["token"]);
      },
      close,
    };
  },
});

function channelOf(api: JsonApi, id: string): RunningServer {
  return {
    openSender: async () => api.sender((message) => ["posts", { body: { channel_id: id, message } }]),
    async *contents() {
      for (let page = 0; ; page++) {
        const { order, posts } = await api.callAgain<{ order: string[]; posts: Record<string, Post> }>(
          `channels/${id}/posts?per_page=${PAGE_POSTS}&page=${page}`,
        );
        for (const post of order) yield posts[post]!.message;
        if (order.length < PAGE_POSTS) return;
      }
    },
  };
}
