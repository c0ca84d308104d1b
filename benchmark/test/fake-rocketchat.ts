import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { Answer, serveFake, type FakeRequest } from "./serve-fake.ts";

const MOST_PAGE_MESSAGES = 100;
const MOST_MESSAGE_CHARACTERS = 5000;
const LIMIT_CALLS = 10;
/** Of the password policy: at least 14 characters, and no more than 3 equal ones in a row. */
const PASSWORD = [/^.{14,}$/, /^(?!.*(.)\1{3})/, /[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

interface User {
  id: string;
  username: string;
  password: string;
  token: string | undefined;
  inRoom: boolean;
}

interface Packet {
  msg?: string;
  id?: string;
  version?: string;
  method?: string;
  name?: string;
  params?: unknown[];
}

/**
 * A Rocket.Chat server with its default settings (unless stated otherwise below), as far as an administrator who adds users and the
 * users themselves see it. Sources: RocketChat/Rocket.Chat, apps/meteor/app/api/server (ApiClass.ts, v1), app/lib/server,
 * server/modules (streamer, notifications), ee/apps/ddp-streamer, and Meteor's specification of DDP.
 */
export async function startFakeRocketchat() {
  const users = new Map<string, User>();
  /** Subscribers, with whether they have answered a ping. */
  const subscribers = new Map<WebSocket, boolean>();
  let [room, logins, ids] = ["", 0, 0];
  const newId = () => `id${String(ids++).padStart(15, "0")}`;
  const fake = {
    url: "",
    env: { ROCKETCHAT_TOKEN: "admin", ROCKETCHAT_USER_ID: "owner" },
    /** API_Enable_Rate_Limiter; on by default. */
    isLimited: false,
    /** Reject every message with this text. */
    rejectWith: undefined as string | undefined,
    /** Of the room, with those that say who was added, from the oldest. */
    messages: [] as { _id: string; rid: string; msg: string; t?: string }[],
    room: () => room,
    remaining: () => users.size + Number(room !== ""),
    close: () => server.close(),
  };

  const publish = async (message: (typeof fake.messages)[0]) => {
    fake.messages.push(message);
    // Nothing is delivered to clients that are silent.
    while ([...subscribers.values()].includes(false)) await sleep(5);
    const fields = { eventName: room, args: [message] };
    const frame = JSON.stringify({ msg: "changed", collection: "stream-room-messages", id: "id", fields });
    for (const socket of subscribers.keys()) socket.send(frame);
  };

  const routes: Record<string, (request: FakeRequest) => object | Promise<object>> = {
    "GET me": ({ headers }) => ({
      roles: headers["x-auth-token"] === "admin" ? ["user", "admin"] : ["user"],
    }),
    "POST channels.create": ({ body }) => {
      check(/^[0-9a-zA-Z-_.]+$/.test(String(body["name"])), "error-invalid-room-name");
      return { channel: { _id: (room = newId()) } };
    },
    "POST users.create": ({ body }) => {
      const {
        username,
        name,
        email,
        password,
        joinDefaultChannels: _,
        ...more
      } = body as Record<string, string>;
      check(username && name && email && password && Object.keys(more).length === 0, "invalid-params");
      check(/^[0-9a-zA-Z-_.]+$/.test(username), "error-field-unavailable");
      check(
        PASSWORD.every((rule) => rule.test(password)),
        "error-password-policy-not-met",
      );
      const user: User = { id: newId(), username, password, token: undefined, inRoom: false };
      users.set(user.id, user);
      return { user: { _id: user.id } };
    },
    "POST channels.invite": async ({ body }) => {
      const user = users.get(String(body["userId"]));
      check(user && body["roomId"] === room, "error-room-not-found");
      user.inRoom = true;
      await publish({ _id: newId(), rid: room, msg: user.username, t: "au" });
      return {};
    },
    "POST login": ({ body }) => {
      check(!fake.isLimited || logins++ < LIMIT_CALLS, TOO_MANY, 429);
      const resumed = body["resume"];
      if (resumed === "admin") return { status: "success", data: { userId: "owner", authToken: resumed } };
      const user = [...users.values()].find(({ username }) => username === body["user"]);
      if (user === undefined || user.password !== body["password"])
        throw new Answer(401, { status: "error", message: "Unauthorized" });
      user.token = newId();
      return { status: "success", data: { userId: user.id, authToken: user.token } };
    },
    "POST chat.sendMessage": async ({ body }) => {
      const { rid, msg } = body["message"] as Record<string, string>;
      check(rid === room, "error-not-allowed");
      check(fake.rejectWith === undefined, String(fake.rejectWith));
      check(
        msg!.length <= MOST_MESSAGE_CHARACTERS,
        "Message size exceeds Message_MaxAllowedSize [error-message-size-exceeded]",
      );
      const message = { _id: newId(), rid: room, msg: msg! };
      await publish(message);
      return { message };
    },
    "GET rooms.info": ({ query }) => {
      check(query.get("roomId") === room, "error-room-not-found");
      return { room: { _id: room, t: "c" } };
    },
    "GET channels.messages": ({ query }) => {
      check(query.get("roomId") === room, "error-room-not-found");
      const count = Math.min(Number(query.get("count") ?? 50), MOST_PAGE_MESSAGES);
      const messages = fake.messages
        .toReversed()
        .slice(Number(query.get("offset") ?? 0))
        .slice(0, count);
      return { messages, count: messages.length, total: fake.messages.length };
    },
    "POST channels.delete": ({ body }) => {
      check(body["roomId"] === room, "error-room-not-found");
      room = "";
      return {};
    },
    "POST users.delete": ({ body }) => {
      check(users.delete(String(body["userId"])), "error-invalid-user");
      return {};
    },
  };

  const server = await serveFake({
    async answer(request) {
      const route = request.route.replace("/api/v1/", "");
      const handler = routes[route];
      check(handler, "Resource not found", 404);
      const { "x-auth-token": token, "x-user-id": id } = request.headers;
      const isLoggedIn = (token === "admin" && id === "owner") || (token === "user" && id === "someone");
      if (route !== "POST login" && !isLoggedIn)
        throw new Answer(401, { status: "error", message: "You must be logged in to do this." });
      return new Answer(200, { ...(await handler(request)), success: true });
    },
    socketPath: "/websocket",
    frameBytes: 1_000_000,
    connected(socket) {
      let user: User | undefined;
      let isConnected = false;
      const send = (packet: object) => socket.send(JSON.stringify(packet));
      const notAllowed = {
        isClientSafe: true,
        error: "not-allowed",
        message: "[not-allowed]",
        errorType: "Meteor.Error",
      };
      send({ server_id: "0" });
      socket.on("close", () => subscribers.delete(socket));
      socket.on("message", (data: Buffer, isBinary) => {
        const { msg, id, version, method, name, params = [] } = JSON.parse(data.toString()) as Packet;
        if (isBinary) return socket.close(1003, "unsupported data");
        if (!isConnected && msg !== "connect") return send({ msg: "error", reason: "Must connect first" });
        switch (msg) {
          case "connect":
            if (version !== "1") return send({ msg: "failed", version: "1" });
            isConnected = true;
            return send({ msg: "connected", session: newId() });
          case "method": {
            const { resume } = params[0] as { resume?: string };
            user = [...users.values()].find(({ token }) => token !== undefined && token === resume);
            const error = {
              error: 403,
              reason: "You've been logged out by the server. Please log in again.",
            };
            if (method !== "login" || !user) return send({ msg: "result", id, error });
            send({ msg: "added", collection: "users", id: user.id, fields: { username: user.username } });
            send({ msg: "result", id, result: { id: user.id, token: resume, type: "resume" } });
            return send({ msg: "updated", methods: [id] });
          }
          case "sub":
            if (name !== "stream-room-messages" || params[0] !== room || !user?.inRoom)
              return send({ msg: "nosub", id, error: notAllowed });
            send({ msg: "ready", subs: [id] });
            subscribers.set(socket, false);
            return send({ msg: "ping", id: `ping of ${user.id}` });
          case "pong":
            if (id === `ping of ${user?.id}`) subscribers.set(socket, true);
            return;
          default:
            socket.close(1002, "protocol error");
        }
      });
    },
  });
  fake.url = server.url;
  return fake;
}

const TOO_MANY =
  "Error, too many requests. Please slow down. You must wait 60 seconds before trying this endpoint again. [error-too-many-requests]";

/** @throws {Answer} */
function check(isValid: unknown, error: string, status = 400): asserts isValid {
  if (!isValid) throw new Answer(status, { success: false, error });
}
