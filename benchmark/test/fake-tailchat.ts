import { Server, type Socket } from "socket.io";
import * as msgpack from "socket.io-msgpack-parser";
import { Answer, serveFake } from "./serve-fake.ts";

/** A received call: the action with the names of its parameters, and the caller. */
export interface Call {
  by: string | undefined;
  action: string;
  params: string[];
}

export interface FakeTailchat {
  url: string;
  calls: Call[];
  /** These guests, in the order of their registration from 0, are denied their rooms. */
  refused: Set<number>;
  /** Reject every message with this text. */
  muteWith: string | undefined;
  /** What it has instead of the content of a message. */
  storedAs: (content: string) => string;
  /** Messages of the panel, including system messages. */
  stored: { _id: string; content: string }[];
  groups: Set<string>;
  close(): Promise<void>;
}

type Params = Record<string, string>;

const PAGE_MESSAGES = 50;
const MOST_NAME_CHARACTERS = 100;
const MOST_NICKNAME_CHARACTERS = 20;
const GROUP = "64a0c0ffee0000000000000a";
const PANEL = "64a0c0ffee0000000000000b";

/**
 * A Tailchat server as described by its documentation and source (msgbyte/tailchat 1.11: socketio.mixin.ts, the
 * services user, group, group.invite, chat.converse and chat.message), as far as a guest who joins and chats
 * can see.
 */
export async function startFakeTailchat(): Promise<FakeTailchat> {
  const io = new Server({ transports: ["websocket"], serveClient: false, parser: msgpack });
  const users: string[] = [];
  const members = new Set<string>();

  const fake: FakeTailchat = {
    url: "",
    calls: [],
    refused: new Set(),
    muteWith: undefined,
    storedAs: (content) => content,
    stored: [],
    groups: new Set(),
    close: () => server.close(),
  };
  const store = (content: string) => {
    const _id = String(fake.stored.length).padStart(24, "0");
    const message = { _id, content, author: "", groupId: GROUP, converseId: PANEL, hasRecall: false };
    fake.stored.push(message);
    return message;
  };
  const assertMember = (user: string) => {
    if (!members.has(user)) throw new Error("No permission");
  };

  const actions: Record<string, (user: string, params: Params) => object | null> = {
    "user.createTemporaryUser": (_, { nickname }) => {
      if (nickname!.length > MOST_NICKNAME_CHARACTERS)
        throw new Error(`User validation failed: nickname: Path nickname (${nickname}) is too long`);
      const _id = `user-${users.push(nickname!)}`;
      return { _id, nickname, temporary: true, token: `token of ${_id}` };
    },
    "group.createGroup": (user, { name, panels }) => {
      assertValid(typeof name === "string" && name.length <= MOST_NAME_CHARACTERS && Array.isArray(panels));
      members.add(user);
      fake.groups.add(GROUP);
      // Panels get new ids.
      return { _id: GROUP, owner: user, panels: [{ id: PANEL, name: "general", type: 0 }] };
    },
    "group.invite.createGroupInvite": (user, { groupId, inviteType }) => {
      assertValid(groupId === GROUP && ["normal", "permanent"].includes(inviteType!));
      assertMember(user);
      return { _id: GROUP, code: "tFH3Ys", groupId: GROUP };
    },
    "group.invite.applyInvite": (user, { code }) => {
      if (code !== "tFH3Ys") throw new Error("Cannot read properties of null (reading 'expiredAt')");
      members.add(user);
      store(`${user} has joined`);
      return null;
    },
    "group.quitGroup": (_, { groupId }) => {
      fake.groups.delete(groupId!);
      return null;
    },
    "chat.message.fetchConverseMessage": (user, { converseId, startId }) => {
      assertMember(user);
      // Newer servers check that the panel belongs to a group that the user has joined.
      if (converseId !== PANEL) throw new Error("No permission");
      return fake.stored
        .toReversed()
        .filter(({ _id }) => startId === undefined || _id < startId)
        .slice(0, PAGE_MESSAGES)
        .map((message) => ({ ...message, content: fake.storedAs(message.content) }));
    },
  };

  io.use((socket, next) => {
    const user = userOf((socket.handshake.auth as { token?: string }).token);
    if (!user) return next(new Error("Token invalid"));
    (socket.data as { user: string }).user = user;
    next();
  });
  const sockets: Record<string, (user: string, params: Params, socket: Socket) => object> = {
    "chat.converse.findAndJoinRoom": (user, _, socket) => {
      // The owner registered first.
      if (fake.refused.has(Number(user.split("-")[1]) - 2)) throw new Error("Service unavailable");
      if (members.has(user)) void socket.join([GROUP, PANEL]);
      return { dmConverseIds: [], groupIds: [GROUP], textPanelIds: [PANEL], subscribeFeaturePanelIds: [] };
    },
    "chat.message.sendMessage": (user, { groupId, converseId, content }) => {
      assertValid(typeof content === "string");
      assertMember(user);
      // Without its group the panel would be taken for a direct conversation.
      if (groupId !== GROUP || converseId !== PANEL) throw new Error("No permission");
      if (fake.muteWith !== undefined) throw new Error(fake.muteWith);
      const message = store(content!);
      io.to(PANEL).emit("notify:chat.message.add", message);
      return message;
    },
  };
  io.on("connection", (socket) => {
    const { user } = socket.data as { user: string };
    socket.onAny((event: string, params: Params, answer: (answer: object) => void) => {
      fake.calls.push({ by: user, action: event, params: Object.keys(params) });
      try {
        answer({ result: true, data: sockets[event]!(user, params, socket) });
      } catch (error) {
        answer({ result: false, message: (error as Error).message });
      }
    });
  });

  const server = await serveFake({
    attach: (http) => void io.attach(http),
    answer({ route, headers, body }) {
      const action = route.replace("POST /api/", "").replaceAll("/", ".");
      const user = userOf(headers["x-token"]);
      fake.calls.push({ by: user, action, params: Object.keys(body) });
      if (!user && action !== "user.createTemporaryUser")
        return new Answer(401, { name: "UnAuthorizedError", message: "Unauthorized", code: 401 });
      try {
        return new Answer(200, { code: 200, data: actions[action]!(user ?? "", body as Params) });
      } catch (error) {
        return new Answer(500, { name: "Error", message: (error as Error).message, code: 500 });
      }
    },
  });
  fake.url = server.url;
  return fake;
}

/** What the server's broker does before it calls an action. */
function assertValid(isValid: boolean): void {
  if (!isValid) throw new Error("Parameters validation error!");
}

function userOf(token: string | string[] | undefined): string | undefined {
  return /^token of (user-\d+)$/.exec(String(token))?.[1];
}
