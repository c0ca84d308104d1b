import type { Result } from "@fanfare/contract";
import { randomBytes } from "node:crypto";
import { explain } from "../../targets/fanfare/explain.ts";
import { Session } from "./session.ts";
import { createGuest, doAll, type Scene, type SceneContext } from "./scene.ts";

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
export async function buildGroupScene(context: SceneContext, size: GroupSize): Promise<Scene> {
  const { groups, members, senders, online } = size;
  const { api, signal } = context;
  const ownerTokens = await registerOwner(context).catch(explain);
  const owner = ownerTokens.accessToken;
  const session = new Session(api, ownerTokens);
  const { users: meetings } = await doAll(context, "creating groups", groups, async (index) => {
    const name = `bench ${index + 1}`;
    const { group, channels } = await api.call("group.create", { name }, owner, signal);
    const { invite } = await api.call("invite.create", { groupId: group.id }, owner, signal);
    return { groupId: group.id, channelId: channels[0]!.id, code: invite.code };
  });
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

/** Only accounts can own groups. */
function registerOwner({ api, signal }: SceneContext): Promise<Result<"user.register">> {
  const username = `bench-${randomBytes(6).toString("hex")}`;
  const password = randomBytes(18).toString("base64url");
  return api.call("user.register", { username, password }, undefined, signal);
}
