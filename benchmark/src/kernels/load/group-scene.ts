import { explain } from "../../targets/fanfare/explain.ts";
import { createGroup, registerOwner } from "../../targets/fanfare/meeting.ts";
import { Session } from "./session.ts";
import type { LoadContext } from "./load.ts";
import { createGuest, doAll, type Scene } from "./scene.ts";

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
