import { randomBytes } from "node:crypto";
import { usageError } from "../cli/exit.ts";
import { fromEnvironment, JsonApi, running, type JsonApiOptions, type RunningServer } from "./json-api.ts";
import type { Events } from "./plugin.ts";

/** The most that the server returns by default. */
const PAGE_MESSAGES = 100;

const RATE_LIMITED = "Turn off API_Enable_Rate_Limiter for the test.";
/** The part of the API for each type of room. */
const KINDS: Record<string, string | undefined> = { c: "channels", p: "groups", d: "dm" };

/** What a member needs to subscribe. */
interface Membership {
  token: string;
  roomId: string;
}

function membership(token: string, roomId: string): string {
  return JSON.stringify({ token, roomId } satisfies Membership);
}

interface Message {
  msg: string;
}

interface Frame {
  msg?: string;
  id?: string;
  error?: { reason?: string; message?: string };
  subs?: string[];
  fields?: { args?: [Message] };
}

/** Meteor's protocol, version 1: connect, log in, subscribe to the room. */
function readFrame(text: string, credential: string | null): Events {
  const { msg, id, error, subs, fields } = JSON.parse(text) as Frame;
  const send = (frame: object) => ({ kind: "send" as const, frame: JSON.stringify(frame) });
  const { token, roomId } = JSON.parse(credential ?? "{}") as Membership;
  if (error) return { kind: "refused", code: error.reason ?? error.message ?? "REFUSED" };
  switch (msg) {
    case "connected":
      return send({ msg: "method", method: "login", id: "login", params: [{ resume: token }] });
    case "result":
      return send({ msg: "sub", id: "room", name: "stream-room-messages", params: [roomId, false] });
    case "ready":
      return { kind: subs?.includes("room") ? "ready" : "other" };
    case "ping":
      return send({ msg: "pong", id });
    case "failed":
      return { kind: "refused", code: "UNSUPPORTED_VERSION" };
    case "changed":
      return { kind: "messages", contents: [fields!.args![0].msg], revs: [0] };
    default:
      return { kind: "other" };
  }
}

/** A running Rocket.Chat: a channel and users that an administrator's token creates and deletes. */
export const rocketchat = running({
  name: "rocketchat",
  dialect: {
    transport: "websocket",
    path: "/websocket",
    hello: () => JSON.stringify({ msg: "connect", version: "1", support: ["1"] }),
    waitsForReady: true,
    read: (frame, credential) => readFrame(String(frame), credential),
  },
  async open({ url, existing, onError, signal }) {
    const common = { product: "Rocket.Chat", base: new URL("/api/v1/", url), onError, signal };
    if (existing) return existingRoom(common, existing);
    const token = fromEnvironment("ROCKETCHAT_TOKEN", "a personal access token of an administrator");
    const userId = fromEnvironment("ROCKETCHAT_USER_ID", "the user ID shown with that token");
    const api = new JsonApi({
      ...common,
      headers: { "x-auth-token": token, "x-user-id": userId },
      advice: {
        HTTP_401: "Do ROCKETCHAT_TOKEN and ROCKETCHAT_USER_ID belong together?",
        HTTP_429: RATE_LIMITED,
      },
    });
    const { roles } = await api.call<{ roles: string[] }>("me");
    if (!roles.includes("admin")) throw usageError("ROCKETCHAT_TOKEN must be the token of an administrator.");
    const run = `bench-${randomBytes(5).toString("hex")}`;
    const created = await api.call<{ channel: { _id: string } }>("channels.create", { body: { name: run } });
    const roomId = created.channel._id;
    const users: string[] = [];
    let number = 0;
    return {
      ...roomOf(api, roomId, "channels"),
      async join() {
        const username = `${run}-${number++}`;
        // No character more than three times in a row.
        const password = `Aa1!${randomBytes(12).toString("hex").replaceAll(/../g, "$&-")}`;
        const account = { username, name: username, email: `${username}@example.com`, password };
        const { user } = await api.call<{ user: { _id: string } }>("users.create", {
          body: { ...account, joinDefaultChannels: false },
        });
        users.push(user._id);
        await api.call("channels.invite", { body: { roomId, userId: user._id } });
        const { data } = await api.call<{ data: { authToken: string } }>("login", {
          body: { user: username, password },
        });
        return membership(data.authToken, roomId);
      },
      close: api.cleanUp("channel and users", async (last) => {
        await last.call("channels.delete", { body: { roomId } });
        for (const user of users) await last.call("users.delete", { body: { userId: user } });
      }),
    };
  },
});

/** The users of --tokens, who are left as they are. */
async function existingRoom(
  common: JsonApiOptions,
  { senderToken, channel }: { senderToken: string; channel: string },
): Promise<RunningServer> {
  const advice = { HTTP_401: "Is the first line of --tokens valid?", HTTP_429: RATE_LIMITED };
  const { data } = await new JsonApi({ ...common, advice }).call<{ data: { userId: string } }>("login", {
    body: { resume: senderToken },
  });
  const headers = { "x-auth-token": senderToken, "x-user-id": data.userId };
  const api = new JsonApi({ ...common, advice, headers });
  const { room } = await api.call<{ room: { t: string } }>(`rooms.info?roomId=${channel}`);
  const kind = KINDS[room.t];
  if (kind === undefined) throw usageError(`--channel ${channel} is neither a channel nor a conversation.`);
  return {
    ...roomOf(api, channel, kind),
    credentialOf: (token) => membership(token, channel),
  };
}

function roomOf(api: JsonApi, roomId: string, kind: string): RunningServer {
  return {
    openSender: async () =>
      api.sender((msg) => ["chat.sendMessage", { body: { message: { rid: roomId, msg } } }]),
    async *contents() {
      for (let offset = 0; ;) {
        const { messages, total } = await api.callAgain<{ messages: Message[]; total: number }>(
          `${kind}.messages?roomId=${roomId}&count=${PAGE_MESSAGES}&offset=${offset}`,
        );
        for (const { msg } of messages) yield msg;
        offset += messages.length;
        if (offset >= total || messages.length === 0) return;
      }
    },
  };
}
