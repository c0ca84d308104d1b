import { PERMISSIONS } from "@fanfare/contract";
import { createWorld, must } from "@fanfare/testing";

/** What the policy matrix can't reach because it takes several calls: roles, private channels, pages. */
export async function exerciseGroups(url: string): Promise<void> {
  const { owner, member, target, group, inviteCode } = await createWorld(url);
  const token = owner.accessToken;
  const groupId = group.id;
  const { role } = await must(url, "role.create", { groupId, name: "Staff" }, token);
  const ofRole = { groupId, roleId: role.id };
  await must(url, "role.update", { ...ofRole, mentionable: true }, token);
  await must(url, "role.reorder", { groupId, roleIds: [role.id] }, token);
  const assigned = { ...ofRole, userId: member.userId };
  await must(url, "role.assign", assigned, token);
  await must(url, "role.unassign", assigned, token);
  await must(url, "role.assign", assigned, token);
  const given = { groupId, name: "hidden", private: true, roleIds: [role.id], memberIds: [target.userId] };
  const { channel } = await must(url, "channel.create", given, token);
  const channelId = channel.id;
  const { channel: section } = await must(
    url,
    "channel.create",
    { groupId, name: "s", kind: "section" },
    token,
  );
  const places = [{ channelId, sectionId: section.id, position: 3 }];
  await must(url, "channel.reorder", { groupId, places }, token);
  await must(url, "channel.delete", { channelId: section.id }, token);
  const everyone = { type: "everyone" as const };
  await must(
    url,
    "channel.setOverride",
    { channelId, target: everyone, allow: 0, deny: PERMISSIONS.view },
    token,
  );
  await must(url, "channel.removeOverride", { channelId, target: everyone }, token);
  await must(
    url,
    "channel.setOverride",
    { channelId, target: everyone, allow: 0, deny: PERMISSIONS.view },
    token,
  );
  await must(url, "group.update", { groupId, defaultChannelId: channelId, listed: true }, token);
  await must(url, "group.listMemberChanges", { groupId }, token);
  await must(url, "group.setNickname", { groupId, userId: target.userId, nickname: "Captain" }, token);
  await must(url, "group.listNicknames", { groupId }, token);
  await must(url, "group.listDirectory", { cursor: `9_${groupId}` }, token);
  await must(url, "group.leave", { groupId }, member.accessToken);
  await must(url, "invite.accept", { code: inviteCode }, member.accessToken);
  await must(url, "role.delete", ofRole, token);
  await must(url, "group.ban", { groupId, userId: target.userId, reason: "spam" }, token);
  await must(url, "group.listBans", { groupId, afterUserId: "0".repeat(24) }, token);
  const beforeId = "f".repeat(24);
  const filters = [{}, { beforeId }, { actorId: owner.userId }, { actorId: owner.userId, beforeId }];
  const more = [{ action: "group.ban" }, { action: "group.ban", beforeId }];
  const both = { actorId: owner.userId, action: "group.ban" };
  for (const filter of [...filters, ...more, both, { ...both, beforeId }]) {
    await must(url, "group.auditLog", { groupId, ...filter }, token);
  }
  await exerciseReports(url);
  await exerciseJoinRequests(url);
  await must(url, "group.delete", { groupId }, token);
}

async function exerciseReports(url: string): Promise<void> {
  const world = await createWorld(url);
  const [ofGroup, channelId] = [{ groupId: world.group.id }, world.channel.id];
  const reported = { channelId, messageId: world.message.id, reason: "spam" as const };
  for (const { accessToken } of [world.member, world.owner])
    await must(url, "report.create", reported, accessToken);
  const { accessToken } = world.owner;
  const { reports } = await must(url, "report.list", { ...ofGroup, cursor: "f".repeat(24) }, accessToken);
  const closing = { ...ofGroup, reportId: reports[0]!.id, outcome: "dismissed" as const };
  await must(url, "report.close", closing, accessToken);
  await must(url, "channel.delete", { channelId }, accessToken);
}

/** Closed in each way, and withdrawn. */
async function exerciseJoinRequests(url: string): Promise<void> {
  const { owner, stranger, group, inviteCode } = await createWorld(url);
  const groupId = group.id;
  await must(url, "group.update", { groupId, raidLimit: 2 }, owner.accessToken);
  const fourth = await must(url, "user.createGuest", {});
  await must(url, "invite.accept", { code: inviteCode }, fourth.accessToken);
  await must(url, "group.update", { groupId, needsApproval: true }, owner.accessToken);
  const ask = () => must(url, "join.request", { code: inviteCode }, stranger.accessToken);
  const closing = { groupId, userIds: [stranger.userId] };
  await ask();
  await must(url, "join.list", { groupId, cursor: "0".repeat(24) }, owner.accessToken);
  await must(url, "join.withdraw", { groupId }, stranger.accessToken);
  await ask();
  await must(url, "join.approve", closing, owner.accessToken);
  await must(url, "group.kick", { groupId, userId: stranger.userId }, owner.accessToken);
  await ask();
  await must(url, "join.reject", closing, owner.accessToken);
  await must(url, "group.startLockdown", { groupId }, owner.accessToken);
  await must(url, "group.endLockdown", { groupId }, owner.accessToken);
}
