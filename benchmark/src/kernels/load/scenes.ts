import { explain } from "../../targets/fanfare/api.ts";
import { createGroup, registerOwner } from "../../targets/fanfare/meeting.ts";
import { createGuest, doAll, Session, type LoadContext, type Scene } from "./load.ts";

export interface DirectSize {
  senders: number;
  receivers: number;
  /** Receivers who are online. */
  online: number;
}

/** Every sender has a direct channel with every receiver, and writes to each in turn. */
export async function buildDirectScene(context: LoadContext, size: DirectSize): Promise<Scene> {
  const { senders, receivers, online } = size;
  const { target, signal } = context;
  // Guests can only open direct channels with members of their groups.
  const { code } = await target.openMeeting(signal);
  const { users, result } = await doAll(context, "registering guests", senders + receivers, () =>
    createGuest(context),
  );
  await doAll(context, "joining a group", users.length, (index) =>
    target.api.call("invite.accept", { code }, users[index]!.accessToken, signal),
  );
  const sending = users.slice(0, senders);
  const receiving = users.slice(senders);
  const sessions = sending.map((tokens) => new Session(target.api, tokens));
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
    // Guests and direct channels can't be removed; the target removes the group.
    remove: async () => {},
  };
}

export interface GroupSize {
  groups: number;
  /** Per group; all groups have the same users. */
  members: number;
  /** Members who send, to one group after the other. */
  senders: number;
  /** Online members, including senders. */
  online: number;
}

/** Several groups with the same members. */
export async function buildGroupScene(context: LoadContext, size: GroupSize): Promise<Scene> {
  const { groups, members, senders, online } = size;
  const { signal } = context;
  const { api } = context.target;
  const { tokens: ownerTokens } = await registerOwner(api, signal).catch(explain);
  const owner = ownerTokens.accessToken;
  const session = new Session(api, ownerTokens);
  const { users: meetings } = await doAll(context, "creating groups", groups, (index) =>
    createGroup(api, `bench ${index + 1}`, owner, signal),
  );
  const { users: guests, result } = await doAll(context, "registering members", members - 1, async () => {
    const { accessToken } = await createGuest(context);
    for (const { code } of meetings) await api.call("invite.accept", { code }, accessToken, signal);
    return accessToken;
  });
  const tokens = [...guests, owner];
  const allOnline = Int32Array.from({ length: online }, (_, i) => i);
  return {
    size: { users: members, senders, online, channels: groups, groups, members },
    registration: result,
    receivers: tokens.slice(senders, online),
    senders: tokens.slice(0, senders),
    channels: meetings.map(({ channelId }) => ({
      id: channelId,
      reader: session,
      connections: allOnline,
    })),
    // Senders start with different groups.
    channelOf: (sender, turn) => (sender + turn) % groups,
    remove: async () => {
      for (const { groupId } of meetings) await api.call("group.delete", { groupId }, await session.token());
    },
  };
}
