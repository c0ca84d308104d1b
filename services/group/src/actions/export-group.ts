import { channelLine, groupLine, memberLine, roleLine } from "@fanfare/group-file";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

const MEMBERS_PER_PAGE = 500;
const THREADS_PER_PAGE = 200;

export function startExport(): Handler<"group.startExport"> {
  return ({ params: { groupId }, actor: { userId }, call }) =>
    call("group.beginExport", { groupId, userId, action: "group.startExport" });
}

export function beginExport({ groups, audit }: GroupDependencies): Handler<"group.beginExport"> {
  return async ({ params: { groupId, userId, action } }) => {
    const group = await groups.find(groupId);
    if (group === null) throw serviceError("GROUP_NOT_FOUND");
    await audit(groupId, userId, action);
    return { group: presentGroup(group) };
  };
}

export function exportHead({
  groups,
  channels,
  roles,
  wordFilters,
}: GroupDependencies): Handler<"group.exportHead"> {
  return async ({ params: { groupId } }) => {
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
  };
}

export function exportChannels({ channels }: GroupDependencies): Handler<"group.exportChannels"> {
  return async ({ params: { groupId, channelIds } }) => {
    const found = await channels.findManyOf(groupId, channelIds);
    const byId = new Map(found.map((channel) => [channel._id, channel]));
    const inOrder = channelIds.map((id) => byId.get(id)).filter((channel) => channel !== undefined);
    return { lines: inOrder.map(channelLine) };
  };
}

export function exportThreads({ threads }: GroupDependencies): Handler<"group.exportThreads"> {
  return async ({ params: { groupId, channelId, afterId } }) => {
    const found = await threads.listPageOf(channelId, afterId, THREADS_PER_PAGE);
    const own = found.filter(({ parentGroupId }) => parentGroupId === groupId);
    const last = found.length === THREADS_PER_PAGE ? found.at(-1) : undefined;
    return { lines: own.map(channelLine), next: last?._id ?? null };
  };
}

export function exportMembers({ members }: GroupDependencies): Handler<"group.exportMembers"> {
  return async ({ params: { groupId, afterUserId } }) => {
    const found = await members.listPage(groupId, afterUserId ?? undefined, MEMBERS_PER_PAGE);
    const last = found.length === MEMBERS_PER_PAGE ? found.at(-1) : undefined;
    return { lines: found.map(memberLine), next: last?.userId ?? null };
  };
}
