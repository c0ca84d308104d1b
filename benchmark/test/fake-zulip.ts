import { EventEmitter, once } from "node:events";
import { routed, type RoutedRequest, type Routes } from "./routes.ts";
import { Answer, serveFake } from "./serve-fake.ts";

interface User {
  user_id: number;
  email: string;
  full_name: string;
  password: string;
  api_key: string;
  isAdmin: boolean;
  isActive: boolean;
}

interface Message {
  id: number;
  content: string;
}

interface Queue {
  by: string;
  events: { id: number; type: string; message?: object }[];
  next: number;
}

const API_KEY_CHARACTERS = 32;
const MOST_NAME_CHARACTERS = 100;
const MOST_TOPIC_CHARACTERS = 60;
const MOST_MESSAGE_CHARACTERS = 10_000;
const MOST_PAGE_MESSAGES = 5000;
const CHANNEL_ID = 7;
/** Like the server's own limit, but time does not pass here, so that tests don't depend on it. */
const CALLS_PER_MINUTE = 200;

const failure = (msg: string, code = "BAD_REQUEST", status = 400, more = {}, headers = {}) =>
  new Answer(status, { result: "error", msg, code, ...more }, headers);

/**
 * A Zulip server as described by its API documentation (register-queue, get-events, send-message, get-messages,
 * create-user, fetch-api-key, subscribe, rest-error-handling) and source (zerver/tornado/event_queue.py,
 * zerver/views/users.py, zproject/default_settings.py), as far as an administrator and members of one channel
 * can see.
 */
export async function startFakeZulip() {
  const users: User[] = [];
  const queues = new Map<string, Queue>();
  const calls = new Map<string, number>();
  const wake = new EventEmitter().setMaxListeners(0);
  const newUser = (email: string, full_name: string, password: string, isAdmin = false): User => {
    const user_id = users.length + 10;
    const api_key = `key${user_id}`.padEnd(API_KEY_CHARACTERS, "x");
    const user = { user_id, email, full_name, password, api_key, isAdmin, isActive: true };
    users.push(user);
    return user;
  };
  const admin = newUser("admin@zulip.example", "Admin", "secret", true);
  const fake = {
    url: "",
    env: { ZULIP_ADMIN: tokenOf(admin) },
    /** See `routed`. */
    calls: [] as string[],
    /** `RATE_LIMITING` of settings.py. */
    isLimited: false,
    /** Whether the administrator has the permission. */
    canCreateUsers: true,
    /** Reject every message with this text. */
    rejectWith: undefined as string | undefined,
    /** Queues of these users, in the order of their registration from 0, are deleted. */
    expired: new Set<number>(),
    /** What it has instead of the text of a message. */
    storedAs: (text: string) => text,
    /** How long it takes until an event queue without events gets a heartbeat. */
    heartbeatMs: 100,
    /** The subscribers of the channel, by email; undefined: there is none. */
    subscribers: undefined as Set<string> | undefined,
    channelName: "",
    messages: [] as Message[],
    active: () => users.filter(({ isActive, isAdmin }) => isActive && !isAdmin).length,
    /** A user as an administrator creates one by hand: their token. */
    addUser: () => tokenOf(newUser(`user-${users.length}@zulip.example`, `User ${users.length}`, "secret")),
    /** A channel with these users. */
    addChannel(tokens: readonly string[]) {
      fake.channelName = "general";
      fake.subscribers = new Set(tokens.map((token) => token.split(":")[0]!));
      return String(CHANNEL_ID);
    },
    close: () => server.close(),
  };

  const publish = (by: string, content: string) => {
    const message = { id: fake.messages.length + 1000, content };
    fake.messages.push(message);
    for (const queue of queues.values()) {
      if (!fake.subscribers!.has(queue.by)) continue;
      const whole = { ...message, sender_email: by, type: "stream", stream_id: CHANNEL_ID, subject: "bench" };
      queue.events.push({ id: queue.next++, type: "message", message: whole });
    }
    wake.emit("event");
    return message.id;
  };
  const assertSubscribed = ({ by }: RoutedRequest) => {
    if (fake.subscribers?.has(by) !== true) throw failure(`Channel with ID '${CHANNEL_ID}' does not exist`);
  };

  const routes: Routes = {
    "POST /api/v1/users": ({ body }) => {
      const { email, password, full_name } = body as Record<string, string>;
      if (!fake.canCreateUsers) throw failure("User not authorized to create users");
      if (!full_name || full_name.length > MOST_NAME_CHARACTERS || /[*`\\>"@]/.test(full_name))
        throw failure("Invalid characters in name!");
      if (!password || password.length < 6) throw failure("The password is too weak.");
      if (users.some((user) => user.email === email)) throw failure(`Email '${email}' already in use`);
      return success({ user_id: newUser(email!, full_name, password).user_id });
    },
    "POST /api/v1/fetch_api_key": ({ body: { username, password } }) => {
      const user = users.find((each) => each.email === username && each.password === password);
      if (user?.isActive !== true)
        throw failure("Your username or password is incorrect", "AUTHENTICATION_FAILED", 401);
      return success({ api_key: user.api_key, email: user.email, user_id: user.user_id });
    },
    "POST /api/v1/users/me/subscriptions": ({ by, body }) => {
      const [channel] = JSON.parse(String(body["subscriptions"])) as { name: string }[];
      if (!fake.subscribers && by !== admin.email) throw failure("Insufficient permission");
      fake.subscribers ??= new Set();
      fake.channelName ||= channel!.name;
      if (fake.channelName !== channel!.name) throw failure("one channel is known here");
      fake.subscribers.add(by);
      return success({ subscribed: { [by]: [channel!.name] }, already_subscribed: {} });
    },
    "GET /api/v1/get_stream_id": ({ query }) => {
      if (query.get("stream") !== fake.channelName) throw failure("Invalid channel name");
      return success({ stream_id: CHANNEL_ID });
    },
    "POST /api/v1/register": ({ by, body }) => {
      if (body["event_types"] !== '["message"]') throw failure("all events would be sent");
      if (body["apply_markdown"] !== "false") throw failure("messages would be HTML");
      const queue_id = `fb67bf8a-c031-47cc-84cf-${String(queues.size).padStart(12, "0")}`;
      queues.set(queue_id, { by, events: [], next: 0 });
      return success({ queue_id, last_event_id: -1, zulip_feature_level: 421, zulip_version: "11.2" });
    },
    "GET /api/v1/events": async ({ by, query }) => {
      const queue_id = query.get("queue_id") ?? "";
      const queue = queues.get(queue_id);
      if (!queue || fake.expired.has(users.findIndex(({ email }) => email === by) - 1))
        throw failure(`Bad event queue ID: ${queue_id}`, "BAD_EVENT_QUEUE_ID", 400, { queue_id });
      if (queue.by !== by) throw failure("You are not authorized to get events from this queue");
      const last = query.get("last_event_id");
      if (!/^-?\d+$/.test(last ?? "")) throw failure("Missing 'last_event_id' argument");
      queue.events = queue.events.filter(({ id }) => id > Number(last));
      const over = AbortSignal.timeout(fake.heartbeatMs);
      while (queue.events.length === 0 && !over.aborted)
        await once(wake, "event", { signal: over }).catch(() => {});
      if (queue.events.length === 0) queue.events.push({ id: queue.next++, type: "heartbeat" });
      return success({ events: queue.events });
    },
    "POST /api/v1/messages": (request) => {
      assertSubscribed(request);
      const { type, to, topic, content } = request.body as Record<string, string>;
      if (type !== "stream" && type !== "channel") throw failure("Invalid type parameter");
      if (Number(to) !== CHANNEL_ID) throw failure(`Channel with ID '${to}' does not exist`);
      if (!topic || topic.length > MOST_TOPIC_CHARACTERS) throw failure("Missing topic");
      if (fake.rejectWith !== undefined) throw failure(fake.rejectWith);
      // Longer ones are truncated.
      return success({ id: publish(request.by, content!.trimEnd().slice(0, MOST_MESSAGE_CHARACTERS)) });
    },
    "GET /api/v1/messages": (request) => {
      assertSubscribed(request);
      const { query } = request;
      const [narrow] = JSON.parse(query.get("narrow") ?? "[]") as { operator: string; operand: number }[];
      if (narrow?.operator !== "stream" || narrow.operand !== CHANNEL_ID)
        throw failure("Invalid narrow operator");
      if (query.get("apply_markdown") !== "false") throw failure("messages would be HTML");
      const before = Number(query.get("num_before"));
      if (before > MOST_PAGE_MESSAGES) throw failure("Too many messages requested (maximum 5000).");
      const anchor = query.get("anchor") === "newest" ? Infinity : Number(query.get("anchor"));
      const includes = query.get("include_anchor") !== "false";
      const older = fake.messages.filter(({ id }) => id < anchor || (includes && id === anchor));
      const messages = older.slice(Math.max(0, older.length - before));
      return success({
        messages: messages.map(({ id, content }) => ({ id, content: fake.storedAs(content) })),
        found_oldest: messages.length === older.length,
      });
    },
    "DELETE /api/v1/streams/:channel": ({ parts: [id] }) => {
      if (Number(id) !== CHANNEL_ID || !fake.subscribers) throw failure("Invalid channel ID");
      fake.subscribers = undefined;
      return success({});
    },
    "DELETE /api/v1/users/:user": ({ parts: [id] }) => {
      const user = users.find(({ user_id }) => user_id === Number(id));
      if (user?.isActive !== true) throw failure("No such user");
      user.isActive = false;
      return success({});
    },
  };
  const ADMIN_ROUTES = [
    "POST /api/v1/users",
    "DELETE /api/v1/streams/:channel",
    "DELETE /api/v1/users/:user",
  ];
  const router = routed(routes, (route, { authorization }) => {
    if (route.endsWith("/fetch_api_key")) return "-";
    const token = Buffer.from(authorization?.replace(/^Basic /, "") ?? "", "base64").toString();
    const user = users.find((each) => tokenOf(each) === token);
    if (!user) throw failure("Invalid API key", "INVALID_API_KEY", 401);
    if (!user.isActive) throw failure("Account is deactivated", "USER_DEACTIVATED", 401);
    const called = (calls.get(user.email) ?? 0) + 1;
    calls.set(user.email, called);
    if (fake.isLimited && called > CALLS_PER_MINUTE) {
      const more = { "retry-after": 30.5 };
      throw failure("API usage exceeded rate limit", "RATE_LIMIT_HIT", 429, more, { "retry-after": "30.5" });
    }
    if (ADMIN_ROUTES.includes(route) && !user.isAdmin)
      throw failure("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL");
    return user.email;
  });
  fake.calls = router.calls;
  const server = await serveFake({ answer: router.answer });
  fake.url = server.url;
  return fake;
}

function success(data: object): object {
  return { result: "success", msg: "", ...data };
}

function tokenOf({ email, api_key }: User): string {
  return `${email}:${api_key}`;
}
