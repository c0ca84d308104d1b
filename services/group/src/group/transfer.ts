import {
  channelDocument,
  channelLine,
  createNewIds,
  groupDocument,
  groupLine,
  type Ids,
  memberLine,
  roleDocument,
  roleLine,
} from "@fanfare/group-file";
import {
  assertBelow,
  duplicateKeyIndex,
  type Handlers,
  invalid,
  orThrow,
  newId,
  serviceError,
} from "@fanfare/kernel";
import { groupRoom, userRoom } from "@fanfare/contract";
import { Types } from "mongoose";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel, presentGroup } from "../group.presenter.ts";
import type { ChannelDocument } from "../channel/channel.model.ts";
import { assertCanOwnMore } from "../group.policy.ts";
import type { GroupDocument } from "./group.repository.ts";
import { visible } from "./join.ts";
import { loadMember, newcomer } from "../subjects.ts";
import type { RoleDocument } from "./role.repository.ts";

const MEMBERS_PER_PAGE = 500;
const THREADS_PER_PAGE = 200;
const ANNOUNCED_PER_PAGE = 100;

export const transferActions = ({
  groups,
  audit,
  channels,
  roles,
  wordFilters,
  threads,
  members,
  node,
  membership,
  purge,
}: GroupDependencies): Handlers => ({
  "group.startExport": ({ params: { groupId }, actor: { userId }, services }) =>
    services.group.beginExport({ groupId, userId, action: "group.startExport" }),

  "group.beginExport": async ({ params: { groupId, userId, action } }) => {
    const group = orThrow(await groups.find(groupId), "GROUP_NOT_FOUND");
    await audit(groupId, userId, action);
    return { group: presentGroup(group) };
  },

  "group.exportHead": async ({ params: { groupId } }) => {
    const [group, found, allRoles, filter] = await Promise.all([
      groups.find(groupId),
      channels.listOfGroup(groupId),
      roles.listOfGroup(groupId),
      wordFilters.find(groupId),
    ]);
    if (group === null) throw serviceError("GROUP_NOT_FOUND");
    const idsOf = (isSection: boolean): string[] =>
      found.filter(({ kind }) => (kind === "section") === isSection).map(({ _id }) => _id);
    return {
      group: groupLine(group, filter),
      roles: allRoles.map(roleLine),
      sectionIds: idsOf(true),
      channelIds: idsOf(false),
    };
  },

  "group.exportChannels": async ({ params: { groupId, channelIds } }) => {
    const found = await channels.findManyOf(groupId, channelIds);
    const byId = new Map(found.map((channel) => [channel._id, channel]));
    const inOrder = channelIds.map((id) => byId.get(id)).filter((channel) => channel !== undefined);
    return { lines: inOrder.map(channelLine) };
  },

  "group.exportThreads": async ({ params: { groupId, channelId, afterId } }) => {
    const found = await threads.listPageOf(channelId, afterId, THREADS_PER_PAGE);
    const own = found.filter(({ parentGroupId }) => parentGroupId === groupId);
    const last = found.length === THREADS_PER_PAGE ? found.at(-1) : undefined;
    return { lines: own.map(channelLine), next: last?._id ?? null };
  },

  "group.exportMembers": async ({ params: { groupId, afterUserId } }) => {
    const found = await members.listPage(groupId, afterUserId ?? undefined, MEMBERS_PER_PAGE);
    const last = found.length === MEMBERS_PER_PAGE ? found.at(-1) : undefined;
    return { lines: found.map(memberLine), next: last?.userId ?? null };
  },

  "group.beginImport": async ({ params: { ownerId } }) => {
    assertBelow("groupsPerUser", (await members.listGroupIds(ownerId)).length);
    await assertCanOwnMore(await node.policy.get(), groups, ownerId);
    const _id = newId();
    await groups.begin({
      _id,
      name: "",
      ownerId,
      memberCount: 1,
      createdAt: new Date(),
    });
    return { groupId: _id };
  },

  "group.keepImport": async ({ params: { groupId } }) => {
    if (!(await groups.keepUnfinished(groupId))) throw serviceError("GROUP_NOT_FOUND");
    return {};
  },

  "group.importPlaces": async ({ params }) => {
    const { groupId, salt } = params;
    if (!(await groups.keepUnfinished(groupId))) throw serviceError("GROUP_NOT_FOUND");
    const ids = idsOf(groupId, salt);
    const newRoles = params.roles.map((line) => roleDocument(line, ids) as RoleDocument);
    const newChannels = params.channels.map((line) => channelDocument(line, ids) as ChannelDocument);
    try {
      if (newRoles.length > 0) await roles.insertMany(newRoles);
      if (newChannels.length > 0) await channels.insertMany(newChannels);
    } catch (error) {
      if (duplicateKeyIndex(error) === null) throw error;
      throw invalid("file", "two threads are about one message");
    }
    return {};
  },

  /** The last step: makes the imported group visible. */
  "group.finishImport": async ({ params: { groupId, salt, group: line, byUserId } }) => {
    const hidden = orThrow(await groups.findUnfinished(groupId), "GROUP_NOT_FOUND");
    const ownerId = hidden.ownerId;
    if (line.wordFilter !== null) await wordFilters.change(groupId, line.wordFilter);
    await members.insert(groupId, ownerId);
    const document = groupDocument(
      line,
      new Types.ObjectId(ownerId),
      1,
      idsOf(groupId, salt),
    ) as GroupDocument;
    const { _id, ...content } = document;
    const made = orThrow(await groups.finish(groupId, content), "GROUP_NOT_FOUND");
    membership.forget(groupId, null);
    await membership.settleRooms(groupId, ownerId, true);
    await audit(groupId, byUserId, "admin.startGroupImport");
    const group = presentGroup(made);
    const places = await channels.listOfGroup(groupId);
    node.publish(userRoom(ownerId), "group.joined", { group, channels: places.map(presentChannel) });
    return { group };
  },

  "group.announceImport": async ({ params: { groupId, byUserId, afterUserId } }) => {
    const group = presentGroup(orThrow(await groups.find(groupId), "GROUP_NOT_FOUND"));
    if (afterUserId === null) {
      membership.forget(groupId, null);
      // Members of a group that got more messages: new ones aren't in its room yet.
      node.publish(groupRoom(groupId), "resync", {});
      await audit(groupId, byUserId, "admin.startGroupImport");
    }
    const [listed, found] = await Promise.all([
      channels.listOfGroup(groupId),
      members.listPage(groupId, afterUserId ?? undefined, ANNOUNCED_PER_PAGE),
    ]);
    for (const { userId } of found) {
      await membership.settleRooms(groupId, userId, true);
      const member = await loadMember({ groups, members, roles }, groupId, userId);
      const places = visible(member?.subject ?? newcomer(userId), listed);
      node.publish(userRoom(userId), "group.joined", { group, channels: places.map(presentChannel) });
    }
    const last = found.length === ANNOUNCED_PER_PAGE ? found.at(-1) : undefined;
    return { next: last?.userId ?? null };
  },

  "group.cancelImport": async ({ params: { groupId } }) => {
    if (await groups.cancel(groupId)) purge.group(groupId);
    return {};
  },
});

function idsOf(groupId: string, salt: string): Ids {
  const idOf = createNewIds(salt);
  return { groupId: new Types.ObjectId(groupId), newId: idOf, userId: idOf };
}
