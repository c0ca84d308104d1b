import { usageError } from "../cli/exit.ts";
import {
  fromEnvironment,
  running,
  type Call,
  type JsonApi,
  type Run,
  type RunningServer,
} from "./json-api.ts";
import type { Events } from "./plugin.ts";

/** The most that the server returns by default. */
const PAGE_MESSAGES = 100;

const RATE_LIMITED = "Turn off API_Enable_Rate_Limiter for the test.";
/** The part of the API for each type of room. */
const KINDS: Record<string, string | undefined> = { c: "channels", p: "groups", d: "dm" };

/** What a member needs to subscribe. */
const membership = (token: string, roomId: string): string => JSON.stringify({ token, roomId });

interface Frame {
  msg?: string;
  id?: string;
  error?: { reason?: string; message?: string };
  subs?: string[];
  fields?: { args?: [{ msg: string }] };
}

/** Meteor's protocol, version 1: connect, log in, subscribe to the room. */
function readFrame(text: string, credential: string | null): Events {
  const { msg, id, error, subs, fields } = JSON.parse(text) as Frame;
  const send = (frame: object) => ({ kind: "send" as const, frame: JSON.stringify(frame) });
  const { token, roomId } = JSON.parse(credential ?? "{}") as Record<"token" | "roomId", string>;
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
  product: "Rocket.Chat",
  base: "/api/v1/",
  dialect: {
    transport: "websocket",
    path: "/websocket",
    hello: () => JSON.stringify({ msg: "connect", version: "1", support: ["1"] }),
    waitsForReady: true,
    read: (frame, credential) => readFrame(String(frame), credential),
  },
  async open({ existing, name, newUser, openApi }) {
    if (existing) return existingRoom(openApi, existing);
    const token = fromEnvironment("ROCKETCHAT_TOKEN", "a personal access token of an administrator");
    const userId = fromEnvironment("ROCKETCHAT_USER_ID", "the user ID shown with that token");
    const api = openApi({
      headers: { "x-auth-token": token, "x-user-id": userId },
      advice: {
        HTTP_401: "Do ROCKETCHAT_TOKEN and ROCKETCHAT_USER_ID belong together?",
        HTTP_429: RATE_LIMITED,
      },
    });
    const { roles } = await api.call<{ roles: string[] }>("me");
    if (!roles.includes("admin")) throw usageError("ROCKETCHAT_TOKEN must be the token of an administrator.");
    const created = await api.call<{ channel: { _id: string } }>("channels.create", { body: { name } });
    const roomId = created.channel._id;
    const users: string[] = [];
    return {
      ...roomOf(api, roomId, "channels"),
      async join() {
        const account = newUser();
        const { username: name, password } = account;
        const body = { ...account, name, joinDefaultChannels: false };
        const { user } = await api.call<{ user: { _id: string } }>("users.create", { body });
        users.push(user._id);
        await api.call("channels.invite", { body: { roomId, userId: user._id } });
        const login = { body: { user: name, password } };
        const { data } = await api.call<{ data: { authToken: string } }>("login", login);
        return membership(data.authToken, roomId);
      },
      close: api.cleanUp("channel and users", () => [
        ["channels.delete", { body: { roomId } }],
        ...users.map((userId): Call => ["users.delete", { body: { userId } }]),
      ]),
    };
  },
});

/** The users of --tokens, who are left as they are. */
async function existingRoom(
  openApi: Run["openApi"],
  { senderToken, channel }: NonNullable<Run["existing"]>,
): Promise<RunningServer> {
  const advice = { HTTP_401: "Is the first line of --tokens valid?", HTTP_429: RATE_LIMITED };
  const login = { body: { resume: senderToken } };
  const { data } = await openApi({ advice }).call<{ data: { userId: string } }>("login", login);
  const headers = { "x-auth-token": senderToken, "x-user-id": data.userId };
  const api = openApi({ advice, headers });
  const { room } = await api.call<{ room: { t: string } }>(`rooms.info?roomId=${channel}`);
  const kind = KINDS[room.t];
  if (kind === undefined) throw usageError(`--channel ${channel} is neither a channel nor a conversation.`);
  return { ...roomOf(api, channel, kind), credentialOf: (token) => membership(token, channel) };
}

function roomOf(api: JsonApi, roomId: string, kind: string): RunningServer {
  return api.channel(
    (msg) => ["chat.sendMessage", { body: { message: { rid: roomId, msg } } }],
    async (offset: number = 0) => {
      const { messages, total } = await api.callAgain<{ messages: { msg: string }[]; total: number }>(
        `${kind}.messages?roomId=${roomId}&count=${PAGE_MESSAGES}&offset=${offset}`,
      );
      const end = offset + messages.length;
      const next = end >= total || messages.length === 0 ? undefined : end;
      return { items: messages.map(({ msg }) => msg), next };
    },
  );
}
