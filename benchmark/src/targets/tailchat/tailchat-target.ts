import { randomBytes } from "node:crypto";
import { usageError } from "../../cli/exit.ts";
import type { ChatServer, PluginOptions, TargetPlugin } from "../plugin.ts";
import { TailchatApi } from "./tailchat-api.ts";
import { TAILCHAT_DIALECT } from "./tailchat-dialect.ts";
import { openTailchatSender } from "./tailchat-sender.ts";

/** The kind of a group's panel that is a text channel. */
const TEXT_PANEL = 0;

/** Each costs 0.1 s of CPU time (bcrypt), and the server gives up after 10 s. */
const MOST_REGISTRATIONS = 8;

/** A running Tailchat server: guests in one group, through its public API. */
export const tailchat: TargetPlugin = {
  name: "tailchat",
  dialect: TAILCHAT_DIALECT,
  mostRegistrations: MOST_REGISTRATIONS,
  async open(options) {
    const { url } = options;
    if (url === undefined) {
      throw usageError("--target tailchat measures a running server: set its --url.");
    }
    return meet(url, options);
  },
};

interface Group {
  _id: string;
  panels: { id: string; type: number }[];
}

interface StoredMessage {
  _id: string;
  content: string;
}

async function meet(url: string, { onError, signal }: PluginOptions): Promise<ChatServer> {
  const api = new TailchatApi(url, onError, signal);
  // Nicknames have at most 20 characters, including the number of the guest.
  const name = `bench-${randomBytes(3).toString("hex")}`;
  const newGuest = async (nickname: string) => {
    const { token } = await api.callAgain<{ token: string }>("user/createTemporaryUser", { nickname });
    return token;
  };
  const owner = await newGuest(name);
  const panels = [{ id: "0", name: "general", type: TEXT_PANEL }];
  const group = await api.call<Group>("group/createGroup", { name, panels }, owner);
  const groupId = group._id;
  const converseId = group.panels.find(({ type }) => type === TEXT_PANEL)!.id;
  const invitation = { groupId, inviteType: "normal" };
  const { code } = await api.call<{ code: string }>("group/invite/createGroupInvite", invitation, owner);
  let guests = 0;
  let isClosed = false;
  return {
    urls: [url],
    async join() {
      const token = await newGuest(`${name}-${guests++}`);
      await api.call("group/invite/applyInvite", { code }, token);
      return token;
    },
    openSender: () => openTailchatSender(url, owner, { groupId, converseId }),
    async countStored(isMeasured) {
      let stored = 0;
      // Pages go from the newest back.
      for (let startId: string | undefined; ;) {
        const question = { converseId, ...(startId === undefined ? {} : { startId }) };
        const page = await api.callAgain<StoredMessage[]>(
          "chat/message/fetchConverseMessage",
          question,
          owner,
        );
        stored += page.filter(({ content }) => isMeasured(content)).length;
        startId = page.at(-1)?._id;
        if (startId === undefined) return stored;
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      // When the owner leaves, the group is deleted; guests can't be.
      await new TailchatApi(url, onError, AbortSignal.timeout(10_000))
        .call("group/quitGroup", { groupId }, owner)
        .catch((error: Error) =>
          process.stderr.write(`Could not delete the run's group (${error.message}).\n`),
        );
    },
  };
}
