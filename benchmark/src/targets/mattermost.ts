import { usageError } from "../cli/exit.ts";
import { deletion, fromEnvironment, running, type JsonApi } from "./json-api.ts";

/** The most that the server returns. */
const PAGE_POSTS = 200;

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
  product: "Mattermost",
  base: "/api/v4/",
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
      return {
        kind: "messages",
        contents: [(JSON.parse(data!.post!) as { message: string }).message],
        revs: [0],
      };
    },
  },
  async open({ existing, name, newUser, openApi }) {
    const token =
      existing?.senderToken ??
      fromEnvironment("MATTERMOST_ADMIN_TOKEN", "an access token of a system administrator");
    const api = openApi({
      headers: { authorization: `Bearer ${token}` },
      advice: {
        HTTP_401: "Is MATTERMOST_ADMIN_TOKEN valid?",
        HTTP_429: "Turn off RateLimitSettings.Enable for the test.",
      },
    });
    if (existing) return channelOf(api, existing.channel);
    const { roles } = await api.call<{ roles: string }>("users/me");
    if (!roles.split(" ").includes("system_admin"))
      throw usageError("MATTERMOST_ADMIN_TOKEN must be the token of a system administrator.");
    const create = { name, display_name: name };
    const team = await api.call<{ id: string }>("teams", { body: { ...create, type: "I" } });
    const users: string[] = [];
    const close = api.cleanUp("team and users", () =>
      [`teams/${team.id}`, ...users.map((id) => `users/${id}`)].map(deletion),
    );
    const channel = await api
      .call<{ id: string }>("channels", { body: { ...create, team_id: team.id, type: "P" } })
      .catch(async (error: unknown) => {
        await close();
        throw error;
      });
    return {
      ...channelOf(api, channel.id),
      async join() {
        const user = newUser();
        const { id } = await api.call<{ id: string }>("users", { body: user });
        users.push(id);
        await api.call(`teams/${team.id}/members`, { body: { team_id: team.id, user_id: id } });
        await api.call(`channels/${channel.id}/members`, { body: { user_id: id } });
        const login = { body: { login_id: user.username, password: user.password } };
        const { headers } = await api.callWithHeaders("users/login", login);
        return String(headers["token"]);
      },
      close,
    };
  },
});

function channelOf(api: JsonApi, id: string) {
  return api.channel(
    (message) => ["posts", { body: { channel_id: id, message } }],
    async (page: number = 0) => {
      const { order, posts } = await api.callAgain<{
        order: string[];
        posts: Record<string, { message: string }>;
      }>(`channels/${id}/posts?per_page=${PAGE_POSTS}&page=${page}`);
      const next = order.length < PAGE_POSTS ? undefined : page + 1;
      return { items: order.map((post) => posts[post]!.message), next };
    },
  );
}
