import { randomBytes } from "node:crypto";
import type { Scene } from "./scene.ts";
import { createGuest, doAll, explain, type SceneContext, type SceneUser } from "./scene-builder.ts";

export interface GroupSize {
  groups: number;
  /** In each group: the same users in all of them. */
  members: number;
  /** Members who send, to one group after the other. */
  senders: number;
  /** Members who are online, those who send included. */
  online: number;
}

/** Some groups with the same members. */
export async function buildGroupScene(context: SceneContext, size: GroupSize): Promise<Scene> {
  const { groups, members, senders, online } = size;
  const { api, signal } = context;
  const owner = await registerOwner(context).catch(explain);
  const { users: meetings } = await doAll(context, "making groups", groups, async (index) => {
    const name = `bench ${index + 1}`;
    const { group, channels } = await api.call("group.create", { name }, owner.token, signal);
    const { invite } = await api.call("invite.create", { groupId: group.id }, owner.token, signal);
    return { groupId: group.id, channelId: channels[0]!.id, code: invite.code };
  });
  const { users: guests, result } = await doAll(context, "registering members", members - 1, async () => {
    const guest = await createGuest(context);
    for (const { code } of meetings) await api.call("invite.accept", { code }, guest.token, signal);
    return guest;
  });
  const users = [owner, ...guests];
  const everybody = Int32Array.from({ length: online }, (_, i) => i);
  const token = (user: SceneUser) => user.token;
  return {
    size: { users: members, senders, online, channels: groups, groups, members },
    registration: result,
    receivers: users.slice(senders, online).map(token),
    senders: users.slice(0, senders).map(token),
    channels: meetings.map(({ channelId }) => ({
      id: channelId,
      readerToken: owner.token,
      connections: everybody,
    })),
    // Not all begin with the same group.
    channelOf: (sender, turn) => (sender + turn) % groups,
    remove: async () => {
      for (const { groupId } of meetings) await api.call("group.delete", { groupId }, owner.token);
    },
  };
}

/** Only who has an account can own a group. */
async function registerOwner({ api, signal }: SceneContext): Promise<SceneUser> {
  const username = `bench-${randomBytes(6).toString("hex")}`;
  const password = randomBytes(18).toString("base64url");
  const { user, accessToken } = await api.call("user.register", { username, password }, undefined, signal);
  return { id: user.id, token: accessToken };
}
