import { randomBytes } from "node:crypto";
import * as msgpack from "socket.io-msgpack-parser";
import { JsonApi, running, type RunningServer } from "./json-api.ts";
import type { Sender, SocketIoDialect } from "./plugin.ts";
import { openCaller } from "./socket-io-caller.ts";

/** Tailchat's answer to every call over a socket. */
interface Answer {
  result: boolean;
  message?: string;
}

const JOIN_ROOMS = "chat.converse.findAndJoinRoom";

/**
 * Tailchat's socket: packets in MessagePack, a call is an event with the name of the action, and a connection
 * gets messages only after it has requested its rooms. Source: msgbyte/tailchat,
 * server/mixins/socketio.mixin.ts and server/services/core/chat/{converse,message}.service.ts (version 1.11).
 */
const TAILCHAT_DIALECT: SocketIoDialect = {
  transport: "socket.io",
  parser: "msgpack",
  path: "/socket.io/",
  hello: { event: JOIN_ROOMS, payload: {} },
  waitsForReady: true,
  read(event, payload) {
    if (event === JOIN_ROOMS) {
      const { result, message } = payload as Answer;
      return result ? { kind: "ready" } : { kind: "refused", code: message ?? "REFUSED" };
    }
    if (event !== "notify:chat.message.add") return { kind: "other" };
    // The messages have no revisions: missed ones can't be fetched.
    return { kind: "messages", contents: [(payload as { content?: unknown } | null)?.content], revs: [0] };
  },
};

/** The kind of a group's panel that is a text channel. */
const TEXT_PANEL = 0;

interface Group {
  _id: string;
  panels: { id: string; type: number }[];
}

/** A text channel of a group. */
interface Place {
  groupId: string;
  converseId: string;
}

interface StoredMessage {
  _id: string;
  content: string;
}

/** An action of Tailchat's HTTP API, `POST /api/<service>/<action>`. */
const call = (params: object, token?: string) => ({
  body: params,
  ...(token !== undefined && { headers: { "x-token": token } }),
});

/** A running Tailchat server: guests in one group. */
export const tailchat = running({
  name: "tailchat",
  dialect: TAILCHAT_DIALECT,
  async open({ url, existing, onError, signal }) {
    const api = new JsonApi({ product: "Tailchat", base: new URL("/api/", url), onError, signal });
    if (existing) {
      const [groupId = "", converseId = ""] = existing.channel.split("/");
      return panelOf(api, url, existing.senderToken, { groupId, converseId });
    }
    // Nicknames have at most 20 characters, including the number of the guest.
    const name = `bench-${randomBytes(3).toString("hex")}`;
    const newGuest = async (nickname: string) => {
      const { data } = await api.callAgain<{ data: { token: string } }>(
        "user/createTemporaryUser",
        call({ nickname }),
      );
      return data.token;
    };
    const owner = await newGuest(name);
    const panels = [{ id: "0", name: "general", type: TEXT_PANEL }];
    const { data: group } = await api.call<{ data: Group }>(
      "group/createGroup",
      call({ name, panels }, owner),
    );
    const groupId = group._id;
    const converseId = group.panels.find(({ type }) => type === TEXT_PANEL)!.id;
    const invitation = call({ groupId, inviteType: "normal" }, owner);
    const { data } = await api.call<{ data: { code: string } }>("group/invite/createGroupInvite", invitation);
    let guests = 0;
    return {
      ...panelOf(api, url, owner, { groupId, converseId }),
      async join() {
        const token = await newGuest(`${name}-${guests++}`);
        await api.call("group/invite/applyInvite", call({ code: data.code }, token));
        return token;
      },
      // When the owner leaves, the group is deleted; guests can't be.
      close: api.cleanUp("group", async (last) => {
        await last.call("group/quitGroup", call({ groupId }, owner));
      }),
    };
  },
});

function panelOf(api: JsonApi, url: string, token: string, place: Place): RunningServer {
  return {
    openSender: () => openTailchatSender(url, token, place),
    async *contents() {
      // Pages go from the newest back.
      for (let startId: string | undefined; ;) {
        const question = { converseId: place.converseId, ...(startId !== undefined && { startId }) };
        const { data: page } = await api.callAgain<{ data: StoredMessage[] }>(
          "chat/message/fetchConverseMessage",
          call(question, token),
        );
        for (const { content } of page) yield content;
        startId = page.at(-1)?._id;
        if (startId === undefined) return;
      }
    },
  };
}

/** The owner of the group, with the official client. */
async function openTailchatSender(url: string, token: string, place: Place): Promise<Sender> {
  const { call: ask, close } = await openCaller(url, { parser: msgpack, auth: { token } });
  const succeed = async (event: string, params: object) => {
    const answer = (await ask(event, params)) as Answer;
    if (!answer.result) throw new Error(answer.message ?? "REFUSED");
  };
  await succeed(JOIN_ROOMS, {});
  return { send: (content) => succeed("chat.message.sendMessage", { ...place, content }), close };
}
