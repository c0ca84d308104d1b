import { randomBytes } from "node:crypto";
import { JsonApi, running } from "../json-api.ts";
import type { ChatServer } from "../plugin.ts";
import { TAILCHAT_DIALECT } from "./tailchat-dialect.ts";
import { openTailchatSender } from "./tailchat-sender.ts";

/** The kind of a group's panel that is a text channel. */
const TEXT_PANEL = 0;

interface Group {
  _id: string;
  panels: { id: string; type: number }[];
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

function panelOf(
  api: JsonApi,
  url: string,
  token: string,
  place: { groupId: string; converseId: string },
): ChatServer {
  return {
    urls: [url],
    openSender: () => openTailchatSender(url, token, place),
    async countStored(isMeasured) {
      let stored = 0;
      // Pages go from the newest back.
      for (let startId: string | undefined; ;) {
        const question = { converseId: place.converseId, ...(startId !== undefined && { startId }) };
        const { data: page } = await api.callAgain<{ data: StoredMessage[] }>(
          "chat/message/fetchConverseMessage",
          call(question, token),
        );
        stored += page.filter(({ content }) => isMeasured(content)).length;
        startId = page.at(-1)?._id;
        if (startId === undefined) return stored;
      }
    },
    close: async () => {},
  };
}
