import * as msgpack from "socket.io-msgpack-parser";
import { itemsOf, running, type RunningServer } from "./json-api.ts";
import type { SocketIoDialect } from "./plugin.ts";
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

/** Nicknames have at most 20 characters, including the number of the guest. */
const MOST_NAME_CHARACTERS = 12;
/** The kind of a group's panel that is a text channel. */
const TEXT_PANEL = 0;

/** An action of Tailchat's HTTP API, `POST /api/<service>/<action>`. */
const call = (params: object, token?: string) => ({
  body: params,
  ...(token !== undefined && { headers: { "x-token": token } }),
});

/** A running Tailchat server: guests in one group. */
export const tailchat = running({
  name: "tailchat",
  product: "Tailchat",
  base: "/api/",
  dialect: TAILCHAT_DIALECT,
  async open({ url, existing, name, openApi }) {
    const api = openApi();
    /** A text channel of a group. */
    const panelOf = (groupId: string, converseId: string, token: string): RunningServer => ({
      /** The owner of the group, with the official client. */
      async openSender() {
        const caller = await openCaller(url, { parser: msgpack, auth: { token } });
        const succeed = async (event: string, params: object) => {
          const answer = (await caller.call(event, params)) as Answer;
          if (!answer.result) throw new Error(answer.message ?? "REFUSED");
        };
        await succeed(JOIN_ROOMS, {});
        const send = (content: string) =>
          succeed("chat.message.sendMessage", { groupId, converseId, content });
        return { send, close: caller.close };
      },
      // Pages go from the newest back.
      contents: () =>
        itemsOf(async (startId?: string) => {
          const question = call({ converseId, ...(startId !== undefined && { startId }) }, token);
          const { data } = await api.callAgain<{ data: { _id: string; content: string }[] }>(
            "chat/message/fetchConverseMessage",
            question,
          );
          return { items: data.map(({ content }) => content), next: data.at(-1)?._id };
        }),
    });
    if (existing) {
      const [groupId = "", converseId = ""] = existing.channel.split("/");
      return panelOf(groupId, converseId, existing.senderToken);
    }
    const ask = async <T>(action: string, params: object, token: string) =>
      (await api.call<{ data: T }>(action, call(params, token))).data;
    const newGuest = async (nickname: string) => {
      const guest = call({ nickname });
      return (await api.callAgain<{ data: { token: string } }>("user/createTemporaryUser", guest)).data.token;
    };
    const nickname = name.slice(0, MOST_NAME_CHARACTERS);
    const owner = await newGuest(nickname);
    const group = await ask<{ _id: string; panels: { id: string; type: number }[] }>(
      "group/createGroup",
      { name: nickname, panels: [{ id: "0", name: "general", type: TEXT_PANEL }] },
      owner,
    );
    const groupId = group._id;
    const converseId = group.panels.find(({ type }) => type === TEXT_PANEL)!.id;
    const invitation = { groupId, inviteType: "normal" };
    const { code } = await ask<{ code: string }>("group/invite/createGroupInvite", invitation, owner);
    let guests = 0;
    return {
      ...panelOf(groupId, converseId, owner),
      async join() {
        const token = await newGuest(`${nickname}-${guests++}`);
        await ask("group/invite/applyInvite", { code }, token);
        return token;
      },
      // When the owner leaves, the group is deleted; guests can't be.
      close: api.cleanUp("group", () => [["group/quitGroup", call({ groupId }, owner)]]),
    };
  },
});
