import { explain } from "../../targets/fanfare/explain.ts";
import { createSharedGroup } from "../../targets/fanfare/shared-group.ts";
import { Session } from "./session.ts";
import type { LoadContext } from "./load.ts";
import { createGuest, doAll, type Scene } from "./scene.ts";

export interface DirectSize {
  senders: number;
  receivers: number;
  /** All receivers are online; otherwise one of them, if there are several, as an observer. */
  isOnline: boolean;
}

/** Every sender has a direct channel with every receiver, and writes to each in turn. */
export async function buildDirectScene(context: LoadContext, size: DirectSize): Promise<Scene> {
  const { senders, receivers, isOnline } = size;
  const { target, signal } = context;
  const join = await createSharedGroup(target.api, signal).catch(explain);
  const { users, result } = await doAll(context, "registering guests", senders + receivers, () =>
    createGuest(context),
  );
  await doAll(context, "joining a group", users.length, (index) => join(users[index]!.accessToken));
  const sending = users.slice(0, senders);
  const receiving = users.slice(senders);
  const sessions = sending.map((tokens) => new Session(target.api, tokens));
  const online = isOnline ? receivers : Math.min(1, receivers - 1);
  const { users: ids } = await doAll(
    context,
    "opening direct channels",
    senders * receivers,
    async (index) => {
      const { accessToken } = sending[Math.floor(index / receivers)]!;
      const userId = receiving[index % receivers]!.user.id;
      const { channel } = await target.api.call("channel.openDirect", { userId }, accessToken, signal);
      return channel.id;
    },
  );
  return {
    size: {
      users: users.length,
      senders,
      online: online + senders,
      channels: ids.length,
      groups: null,
      members: null,
    },
    registration: result,
    receivers: receiving.slice(0, online).map(({ accessToken }) => accessToken),
    senders: sending.map(({ accessToken }) => accessToken),
    channels: ids.map((id, i) => {
      const sender = Math.floor(i / receivers);
      const receiver = i % receivers;
      return {
        id,
        reader: sessions[sender]!,
        connections: Int32Array.from([...(receiver < online ? [receiver] : []), online + sender]),
      };
    }),
    channelOf: (sender, turn) => sender * receivers + (turn % receivers),
    // Direct channels and guests can't be removed.
    remove: async () => {},
  };
}
