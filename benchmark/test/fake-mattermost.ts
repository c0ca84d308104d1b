import type { WebSocket } from "ws";
import { Answer, serveFake, type FakeRequest } from "./serve-fake.ts";

const AUTHENTICATION_MS = 5000;
const FRAME_BYTES = 8192;
const MOST_PAGE_POSTS = 200;
const MOST_POST_CHARACTERS = 16_383;

interface User {
  id: string;
  username: string;
  password: string;
  token: string | undefined;
  inTeam: boolean;
  inChannel: boolean;
  failedLogins: number;
}

const ROLES: Record<string, string> = { admin: "system_user system_admin", user: "system_user" };

/**
 * A Mattermost server with its default settings (unless stated otherwise below), as far as an administrator who adds users and the
 * users themselves see it. Sources: mattermost/mattermost, server/channels/api4 (user.go, team.go, channel.go, post.go, websocket.go),
 * server/channels/app (ratelimit.go, team.go, platform/web_conn.go, platform/websocket_router.go) and server/public/model.
 */
export async function startFakeMattermost() {
  const users = new Map<string, User>();
  const online = new Map<WebSocket, { user: User; seq: number }>();
  let [team, channel] = ["", ""];
  const fake = {
    url: "",
    env: { MATTERMOST_ADMIN_TOKEN: "admin" },
    /** TeamSettings.MaxUsersPerTeam; the default is 50. */
    maxUsersPerTeam: 50,
    /** Whether channels can be created. */
    hasChannels: true,
    /** RateLimitSettings.Enable */
    isLimited: false,
    /** Reject every post with this text. */
    rejectWith: undefined as string | undefined,
    /** Of the channel, with those that say who was added, from the oldest. */
    posts: [] as { id: string; message: string }[],
    channel: () => channel,
    remaining: () => users.size + Number(team !== ""),
    close: () => server.close(),
  };

  /** model.NewId */
  const newId = () => (ids++).toString(36).padStart(26, "a");
  let ids = 0;
  const publish = (event: string, data: object) => {
    for (const [socket, connection] of online) {
      if (!connection.user.inChannel) continue;
      const broadcast = { omit_users: null, user_id: "", channel_id: channel, team_id: "" };
      socket.send(JSON.stringify({ event, data, broadcast, seq: connection.seq++ }));
    }
  };
  const post = (message: string) => {
    const created = { id: newId(), channel_id: channel, message, type: "" };
    fake.posts.push(created);
    publish("posted", { channel_type: "P", post: JSON.stringify(created), set_online: true });
    return created;
  };

  const routes: Record<string, (request: FakeRequest, roles: string) => object> = {
    "GET users/me": (_, roles) => ({ roles }),
    "POST teams": ({ body }) => {
      check(/^[a-z0-9][a-z0-9-]+$/.test(String(body["name"])) && body["display_name"], "model.team.is_valid");
      check(["I", "O"].includes(String(body["type"])), "model.team.is_valid.type");
      return { id: (team = newId()) };
    },
    "POST channels": ({ body }) => {
      check(fake.hasChannels, "api.channel.create_channel.max_channel_limit.app_error");
      check(
        body["team_id"] === team && /^[a-z0-9_-]{2,64}$/.test(String(body["name"])),
        "model.channel.is_valid",
      );
      check(["O", "P"].includes(String(body["type"])), "model.channel.is_valid.type");
      return { id: (channel = newId()) };
    },
    "POST users": ({ body }) => {
      const { username, password, email } = body as Record<string, string>;
      // Older servers take fewer characters than newer ones.
      check(/^[a-z][a-z0-9._-]{2,21}$/.test(username!), "model.user.is_valid.username");
      check(/^[^@]+@[^@]+$/.test(email!), "model.user.is_valid.email");
      const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];
      check(password!.length >= 8 && password!.length <= 72, "model.user.is_valid.pwd");
      check(
        kinds.every((kind) => kind.test(password!)),
        "model.user.is_valid.pwd_lowercase_uppercase_number_symbol",
      );
      const user: User = {
        id: newId(),
        username: username!,
        password: password!,
        token: undefined,
        inTeam: false,
        inChannel: false,
        failedLogins: 0,
      };
      users.set(user.id, user);
      return { id: user.id };
    },
    "POST teams/ID/members": ({ body }) => {
      check(
        body["team_id"] === team,
        "api.context.invalid_body_param.app_error",
        "Invalid or missing team_id in request body.",
      );
      const user = userOf(body);
      const members = [...users.values()].filter(({ inTeam }) => inTeam).length;
      check(
        members < fake.maxUsersPerTeam,
        "api.team.join_user_to_team.max_accounts.app_error",
        "This team has reached the maximum number of allowed accounts. Contact your System Administrator to set a higher limit.",
      );
      user.inTeam = true;
      return { team_id: team, user_id: user.id };
    },
    "POST channels/ID/members": ({ body }) => {
      const user = userOf(body);
      check(user.inTeam, "api.channel.add_user.to.channel.failed.deleted.app_error");
      user.inChannel = true;
      post(`${user.username} added to the channel by admin.`);
      return { channel_id: channel, user_id: user.id };
    },
    "POST users/login": ({ body }) => {
      const user = [...users.values()].find(({ username }) => username === body["login_id"]);
      check(user, "api.user.login.invalid_credentials_email_username", undefined, 401);
      check(user.failedLogins < 10, "api.user.check_user_login_attempts.too_many.app_error", undefined, 401);
      if (user.password !== body["password"]) user.failedLogins++;
      check(
        user.password === body["password"],
        "api.user.login.invalid_credentials_email_username",
        undefined,
        401,
      );
      user.token = newId();
      throw new Answer(200, { id: user.id }, { Token: user.token });
    },
    "POST posts": ({ body }) => {
      const { channel_id, message } = body as Record<string, string>;
      check(channel_id === channel, "api.context.permissions.app_error", undefined, 403);
      if (fake.rejectWith !== undefined)
        check(false, "plugin.message_will_be_posted.dismiss_post", fake.rejectWith);
      check(
        message!.length <= MOST_POST_CHARACTERS,
        "model.post.is_valid.message_length.app_error",
        "Post Message property is longer than the maximum permitted length.",
      );
      return post(message!);
    },
    "GET channels/ID/posts": ({ query }) => {
      const size = Math.min(Number(query.get("per_page") ?? 60), MOST_PAGE_POSTS);
      const page = fake.posts
        .toReversed()
        .slice(Number(query.get("page") ?? 0) * size)
        .slice(0, size);
      return {
        order: page.map(({ id }) => id),
        posts: Object.fromEntries(page.map((each) => [each.id, each])),
      };
    },
    "DELETE teams/ID": () => ({ status: "OK", id: (team = "") }),
    "DELETE users/ID": ({ route }) => {
      check(users.delete(route.split("/").at(-1)!), "app.user.missing_account.const", undefined, 404);
      return { status: "OK" };
    },
  };
  const userOf = ({ user_id }: Record<string, unknown>) => {
    const user = users.get(String(user_id));
    check(user, "api.context.invalid_body_param.app_error", "Invalid or missing user_id in request body.");
    return user;
  };

  const server = await serveFake({
    answer(request) {
      const limits = {
        "X-RateLimit-Limit": "101",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1",
        "Retry-After": "1",
      };
      if (fake.isLimited) return new Answer(429, "limit exceeded\n", limits);
      const route = request.route.replace("/api/v4/", "").replace(/\/[a-z0-9]{26}/, "/ID");
      const handler = routes[route];
      check(handler, "api.context.404.app_error", "Sorry, we could not find the page.", 404);
      const roles = ROLES[String(request.headers.authorization).replace("Bearer ", "")];
      if (route !== "POST users/login") {
        check(
          roles,
          "api.context.session_expired.app_error",
          "Invalid or expired session, please login again.",
          401,
        );
        check(
          roles.includes("system_admin") || route === "GET users/me",
          "api.context.permissions.app_error",
          "You do not have the appropriate permissions.",
          403,
        );
      }
      return new Answer(route.startsWith("POST") ? 201 : 200, handler(request, roles ?? ""));
    },
    socketPath: "/api/v4/websocket",
    frameBytes: FRAME_BYTES,
    connected(socket) {
      const unauthenticated = setTimeout(() => socket.terminate(), AUTHENTICATION_MS);
      socket.on("close", () => {
        clearTimeout(unauthenticated);
        online.delete(socket);
      });
      socket.on("message", (frame: Buffer) => {
        const { seq, action, data } = JSON.parse(frame.toString()) as {
          seq?: number;
          action?: string;
          data?: { token?: string };
        };
        const fail = (id: string) =>
          socket.send(
            JSON.stringify({ status: "FAIL", error: { id, message: id, status_code: 400 }, seq_reply: seq }),
          );
        if (!action) return fail("api.web_socket_router.no_action.app_error");
        if (!seq || seq <= 0) return fail("api.web_socket_router.bad_seq.app_error");
        if (action !== "authentication_challenge")
          return fail("api.web_socket_router.not_authenticated.app_error");
        const user = [...users.values()].find(({ token }) => token !== undefined && token === data?.token);
        if (!user) return socket.terminate();
        clearTimeout(unauthenticated);
        online.set(socket, { user, seq: 1 });
        const hello = { server_version: "10.11.0", connection_id: newId() };
        socket.send(JSON.stringify({ event: "hello", data: hello, broadcast: { user_id: user.id }, seq: 0 }));
        socket.send(JSON.stringify({ status: "OK", seq_reply: seq }));
      });
    },
  });
  fake.url = server.url;
  return fake;
}

/** @throws {Answer} a model.AppError */
function check(isValid: unknown, id: string, message = id, status_code = 400): asserts isValid {
  if (!isValid)
    throw new Answer(status_code, { id, message, detailed_error: "", request_id: "", status_code });
}
