import { createHmac, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { routed, type Routes, type RoutedRequest } from "./routes.ts";
import { Answer, serveFake } from "./serve-fake.ts";

export interface FakeMatrix {
  url: string;
  env: Record<string, string>;
  /** See `routed`. */
  calls: string[];
  close(): Promise<void>;
  /** `registration_shared_secret`; undefined: not set. */
  secret: string | undefined;
  /** Reject every message with this text. */
  rejectWith: string | undefined;
  /** `filter_timeline_limit`: the default is 100. */
  timelineLimit: number;
  /** The accounts of these users, in the order of their registration from 0, are locked. */
  locked: Set<number>;
  /** What it has instead of the text of a message. */
  storedAs: (text: string) => string;
  /** false: as other homeservers, which don't have Synapse's API. */
  isSynapse: boolean;
  /** How long a sync without events takes at most. */
  mostHoldMs: number;
  /** All events of rooms, in order. */
  events: RoomEvent[];
  /** Rooms that have not been deleted. */
  rooms: Map<string, Room>;
  users: User[];
  active(): number;
  /** A user as an administrator creates one by hand, without exemption from rate limits. */
  addUser(): User;
  /** A room with these users. */
  addRoom(members: readonly User[]): string;
}

interface User {
  id: string;
  token: string;
  isAdmin: boolean;
  isActive: boolean;
  /** The administrator has exempted it from rate limits. */
  isUnlimited: boolean;
}

interface Room {
  isPublic: boolean;
  members: Set<string>;
}

interface RoomEvent {
  type: string;
  event_id: string;
  room_id: string;
  sender: string;
  content: Record<string, unknown>;
}

interface Filter {
  room: { timeline: { types: string[]; limit?: number }; [section: string]: object };
  [section: string]: object;
}

const DEFAULT_TIMELINE_EVENTS = 10;
const MOST_PAGE_EVENTS = 1000;
const MOST_EVENT_BYTES = 65_536;
/** How often before a limit, and how often a second. Time does not pass here, so that tests don't depend on it. */
const LIMITS = { message: [10, 0.2], join: [10, 0.1], joinRoom: [10, 1], createRoom: [10, 0.016] } as const;

const failure = (status: number, errcode: string, error: string, more = {}) =>
  new Answer(status, { errcode, error, ...more });

/**
 * A homeserver as described by the Matrix client-server API 1.x, and the administration API and default limits
 * of Synapse 1.163 (rest/admin/{users,rooms}.py, rest/client/{sync,room}.py, config/ratelimiting.py), as far as
 * a user in one room can see.
 */
export async function startFakeMatrix(): Promise<FakeMatrix> {
  const nonces = new Set<string>();
  const used = new Map<string, number>();
  const transactions = new Map<string, object>();
  const wake = new EventEmitter().setMaxListeners(0);

  const userAt = (id: string) => fake.users.find((user) => user.id === id)!;
  const limit = (what: keyof typeof LIMITS, by: string, key = by) => {
    if (userAt(by).isUnlimited) return;
    const [burst, perSecond] = LIMITS[what];
    const count = used.get(what + key) ?? 0;
    used.set(what + key, count + 1);
    if (count < burst) return;
    const retry_after_ms = 1000 / perSecond;
    const headers = { "retry-after": String(Math.ceil(retry_after_ms / 1000)) };
    const body = { errcode: "M_LIMIT_EXCEEDED", error: "Too Many Requests", retry_after_ms };
    throw new Answer(429, body, headers);
  };
  const add = (room_id: string, sender: string, type: string, content: Record<string, unknown>) => {
    const event_id = `$${randomBytes(32).toString("base64url")}`;
    const event: RoomEvent = { type, event_id, room_id, sender, content };
    if (JSON.stringify(event).length > MOST_EVENT_BYTES) throw failure(413, "M_TOO_LARGE", "event too large");
    fake.events.push(event);
    wake.emit("event");
    return event_id;
  };
  const addMember = (room: string, user: string) => {
    fake.rooms.get(room)!.members.add(user);
    add(room, user, "m.room.member", { membership: "join" });
  };
  const newRoom = (isPublic: boolean) => {
    const id = `!${randomBytes(9).toString("hex")}:fake`;
    fake.rooms.set(id, { isPublic, members: new Set() });
    return id;
  };
  const roomOf = ({ by, parts: [id] }: RoutedRequest) => {
    if (fake.rooms.get(id!)?.members.has(by) !== true)
      throw failure(403, "M_FORBIDDEN", `User ${by} not in room ${id}`);
    return id!;
  };
  const newUser = (localpart: string, isAdmin: boolean): User => {
    const token = `syt_${Buffer.from(localpart).toString("base64url")}_${randomBytes(10).toString("hex")}_0`;
    const user = { id: `@${localpart}:fake`, token, isAdmin, isActive: true, isUnlimited: false };
    fake.users.push(user);
    return user;
  };
  const timelineOf = (room_id: string, from: number, to: number, { room }: Filter) => {
    const limit = Math.min(room.timeline.limit ?? DEFAULT_TIMELINE_EVENTS, fake.timelineLimit);
    const all = fake.events.slice(from, to).filter((event) => event.room_id === room_id);
    const events = all.slice(-limit).filter(({ type }) => room.timeline.types.includes(type));
    return { events, limited: all.length > limit, prev_batch: `t${from}` };
  };
  const position = (token: string, letter: "s" | "t") => {
    const [, number] = new RegExp(`^${letter}(\\d+)$`).exec(token) ?? [];
    if (number === undefined) throw failure(400, "M_UNKNOWN", `Invalid stream token ${token}`);
    return Number(number);
  };

  const routes: Routes = {
    "GET /_synapse/admin/v1/register": () => {
      const nonce = randomBytes(64).toString("hex");
      nonces.add(nonce);
      return { nonce };
    },
    "POST /_synapse/admin/v1/register": ({ body }) => {
      const { nonce, username, password, admin = false, mac } = body as Record<string, string>;
      if (fake.secret === undefined)
        throw failure(400, "M_UNKNOWN", "Shared secret registration is not enabled");
      if (!nonces.delete(nonce!)) throw failure(400, "M_UNKNOWN", "unrecognised nonce");
      const signed = [nonce, username, password, admin ? "admin" : "notadmin"].join("\0");
      if (createHmac("sha1", fake.secret).update(signed).digest("hex") !== mac)
        throw failure(403, "M_UNKNOWN", "HMAC incorrect");
      if (!/^[a-z0-9._=/+-]{1,250}$/.test(username!))
        throw failure(400, "M_INVALID_USERNAME", "User ID can only contain characters a-z, 0-9, or '=_-./+'");
      if (fake.users.some(({ id }) => id === `@${username}:fake`))
        throw failure(400, "M_USER_IN_USE", "User ID already taken.");
      const { id, token } = newUser(username!, Boolean(admin));
      return { access_token: token, user_id: id, home_server: "fake", device_id: "BENCH" };
    },
    "POST /_synapse/admin/v1/users/:user/override_ratelimit": ({ parts: [id], body }) => {
      const { messages_per_second, burst_count } = body;
      if (![messages_per_second, burst_count].every((value) => Number.isInteger(value) && Number(value) >= 0))
        throw failure(400, "M_INVALID_PARAM", "messages_per_second must be a positive int");
      userAt(id!).isUnlimited = messages_per_second === 0;
      return { messages_per_second, burst_count };
    },
    "DELETE /_synapse/admin/v2/rooms/:room": ({ parts: [id] }) => {
      if (!fake.rooms.delete(id!)) throw failure(404, "M_NOT_FOUND", `Unknown room id ${id}`);
      return { delete_id: randomBytes(8).toString("hex") };
    },
    "POST /_synapse/admin/v1/deactivate/:user": ({ parts: [id] }) => {
      userAt(id!).isActive = false;
      return { id_server_unbind_result: "success" };
    },
    "POST /_matrix/client/v3/createRoom": ({ by, body: { preset } }) => {
      limit("createRoom", by);
      const room_id = newRoom(preset === "public_chat");
      add(room_id, by, "m.room.create", {});
      addMember(room_id, by);
      return { room_id };
    },
    "POST /_matrix/client/v3/rooms/:room/join": ({ by, parts: [id] }) => {
      limit("join", by);
      limit("joinRoom", by, id);
      if (fake.rooms.get(id!)?.isPublic !== true)
        throw failure(403, "M_FORBIDDEN", "You are not invited to this room.");
      addMember(id!, by);
      return { room_id: id };
    },
    "PUT /_matrix/client/v3/rooms/:room/send/m.room.message/:transaction": (request) => {
      const { by, body } = request;
      const room = roomOf(request);
      const transaction = `${by} ${request.parts[1]}`;
      const known = transactions.get(transaction);
      if (known) return known;
      limit("message", by);
      if (fake.rejectWith !== undefined) throw failure(403, "M_FORBIDDEN", fake.rejectWith);
      if (body["msgtype"] !== "m.text" || typeof body["body"] !== "string")
        throw failure(400, "M_BAD_JSON", "'body' not in content");
      const answer = { event_id: add(room, by, "m.room.message", body) };
      transactions.set(transaction, answer);
      return answer;
    },
    "GET /_matrix/client/v3/rooms/:room/messages": (request) => {
      const room = roomOf(request);
      const { query } = request;
      if (query.get("dir") !== "b") throw failure(400, "M_MISSING_PARAM", "only dir=b is known here");
      const most = Math.min(Number(query.get("limit") ?? DEFAULT_TIMELINE_EVENTS), MOST_PAGE_EVENTS);
      const start = query.get("from") ?? `t${fake.events.length}`;
      const before = fake.events.slice(0, position(start, "t")).filter(({ room_id }) => room_id === room);
      const chunk = before.toReversed().slice(0, most);
      const text = ({ body }: Record<string, unknown>) =>
        typeof body === "string" ? { body: fake.storedAs(body) } : {};
      const events = chunk.map((event) => ({
        ...event,
        content: { ...event.content, ...text(event.content) },
      }));
      const last = chunk.at(-1);
      return { start, chunk: events, ...(last && { end: `t${fake.events.indexOf(last)}` }) };
    },
    "GET /_matrix/client/v3/sync": async ({ by, query }) => {
      if (fake.locked.has(fake.users.indexOf(userAt(by))))
        throw failure(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });
      const filter = readFilter(query.get("filter"));
      if (query.get("set_presence") !== "offline")
        throw failure(400, "M_UNKNOWN", "members would be shown as online");
      const since = query.get("since");
      const from = since === null ? 0 : position(since, "s");
      const join = () => {
        const to = fake.events.length;
        const mine = [...fake.rooms].filter(([, { members }]) => members.has(by));
        const rooms = mine.map(([id]) => [id, { timeline: timelineOf(id, from, to, filter) }] as const);
        const news = rooms.filter(([, { timeline }]) => since === null || timeline.events.length > 0);
        return { to, rooms: Object.fromEntries(news) };
      };
      const heldMs = since === null ? 0 : Math.min(Number(query.get("timeout") ?? 0), fake.mostHoldMs);
      const over = AbortSignal.timeout(heldMs);
      let found = join();
      while (Object.keys(found.rooms).length === 0 && !over.aborted) {
        await once(wake, "event", { signal: over }).catch(() => {});
        found = join();
      }
      const rooms = Object.keys(found.rooms).length === 0 ? {} : { rooms: { join: found.rooms } };
      return { next_batch: `s${found.to}`, device_one_time_keys_count: { signed_curve25519: 0 }, ...rooms };
    },
  };

  const { calls, answer } = routed(routes, (route, { authorization }) => {
    const isAdminRoute = route.includes("/_synapse/");
    if (isAdminRoute && !fake.isSynapse) throw failure(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (route.endsWith("/register")) return "-";
    const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
    if (token === undefined) throw failure(401, "M_MISSING_TOKEN", "Missing access token");
    const user = fake.users.find((each) => each.token === token);
    if (user?.isActive !== true) {
      const more = { soft_logout: false };
      throw failure(401, "M_UNKNOWN_TOKEN", "Invalid access token passed.", more);
    }
    if (isAdminRoute && !user.isAdmin) throw failure(403, "M_FORBIDDEN", "You are not a server admin");
    return user.id;
  });
  const fake: FakeMatrix = {
    ...(await serveFake({ answer })),
    env: { MATRIX_REGISTRATION_SECRET: "registration secret" },
    calls,
    secret: "registration secret",
    rejectWith: undefined,
    timelineLimit: Infinity,
    locked: new Set(),
    storedAs: (text) => text,
    isSynapse: true,
    mostHoldMs: 100,
    events: [],
    rooms: new Map(),
    users: [],
    active: () => fake.users.filter(({ isActive }) => isActive).length,
    addUser: () => newUser(`user-${fake.users.length}`, false),
    addRoom(members) {
      const id = newRoom(false);
      for (const { id: user } of members) addMember(id, user);
      return id;
    },
  };
  return fake;
}

function readFilter(text: string | null): Filter {
  try {
    const filter = JSON.parse(text ?? "") as Filter;
    if (Array.isArray(filter.room.timeline.types)) return filter;
  } catch {
    // Rejected below.
  }
  throw failure(400, "M_NOT_JSON", "Invalid filter JSON");
}
