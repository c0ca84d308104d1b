import { LIMITS, type Result, textOf, userRoom } from "@fanfare/contract";
import { can, type Handlers, type NodeContext, orThrow, ResponseBudget, serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { publishToModerators } from "../channel/rooms.ts";
import { presentReport, type ReportDocument } from "./report.repository.ts";

export function reportActions(dependencies: GroupDependencies): Handlers {
  const { node, channels, reports, audit } = dependencies;

  /** Those of the channels where the user can manage messages. */
  const managed = async (userId: string, channelIds: readonly string[]): Promise<Set<string>> => {
    const ids = [...new Set(channelIds)];
    const accesses = await Promise.all(ids.map((channelId) => node.access.get(userId, { channelId })));
    return new Set(ids.filter((_, index) => can(accesses[index]!, "manageMessages")));
  };

  /** @param userId null: an admin, who sees all reports of direct channels */
  const listPage = async (
    groupId: string | null,
    userId: string | null,
    { cursor, limit }: { cursor?: string | undefined; limit: number },
  ): Promise<Result<"report.list">> => {
    const found = await reports.listOpen(groupId, limit, cursor);
    const isShown = await filterFor(userId, found);
    const seen = found.filter(isShown);
    const page = new ResponseBudget().takeWhileFits(seen.map(presentReport));
    if (page.length < seen.length) return { reports: page, nextCursor: page.at(-1)!.id };
    return { reports: page, nextCursor: found.length < limit ? null : found.at(-1)!._id };
  };

  const filterFor = async (userId: string | null, found: readonly ReportDocument[]) => {
    if (userId === null) return () => true;
    const channelIds = await managed(
      userId,
      found.map(({ channelId }) => channelId),
    );
    return ({ channelId }: ReportDocument) => channelIds.has(channelId);
  };

  return {
    "report.create": async ({ params, actor: { userId }, access: { groupId }, services }) => {
      const { channelId, messageId, reason, details } = params;
      const { message } = await services.message.get({ channelId, messageId });
      if (message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
      const { authorId, attachments = [] } = message;
      const content = textOf(message);
      if (authorId === userId) throw serviceError("FORBIDDEN");
      const fileNames = attachments.map(({ name }) => name);
      const sentAt = new Date(message.createdAt);
      const isAdded = await reports.add(
        { groupId, channelId, messageId, authorId, content, fileNames, sentAt },
        { userId, reason, details, reportedAt: new Date() },
      );
      if (!isAdded) throw serviceError("ALREADY_REPORTED");
      await publishReportsChanged(dependencies, groupId);
      return {};
    },

    "report.createByRule": async ({ params: { rule, ...message } }) => {
      const reporter = { userId: null, reason: rule, details: "", reportedAt: new Date() };
      const isAdded = await reports.add({ ...message, sentAt: new Date(message.sentAt) }, reporter);
      if (isAdded) await publishReportsChanged(dependencies, message.groupId);
      return {};
    },

    "report.list": ({ params: { groupId, ...page }, actor: { userId } }) => listPage(groupId, userId, page),

    "report.getOpenCount": async ({ params: { groupId }, actor: { userId } }) => {
      const channelIds = await reports.listOpenChannelIds(groupId, LIMITS.reportsCounted);
      const ids = await managed(userId, channelIds);
      return { open: channelIds.filter((id) => ids.has(id)).length };
    },

    "report.close": async ({ params, actor: { userId }, access, services }) => {
      const { groupId, reportId, outcome } = params;
      const { channelId, messageId, authorId } = orThrow(
        await reports.findOpen(groupId, reportId),
        "REPORT_NOT_FOUND",
      );
      if ((await managed(userId, [channelId])).size === 0) throw serviceError("REPORT_NOT_FOUND");
      if (authorId === userId && !can(access, "ownGroup")) throw serviceError("FORBIDDEN");
      if (outcome === "messageDeleted") await services.message.delete({ channelId, messageId });
      orThrow(await reports.close(reportId, userId, outcome), "REPORT_NOT_FOUND");
      await audit(groupId, userId, "report.close", {
        targetId: messageId,
        before: { channelId, authorId, outcome: "open" },
        after: { outcome },
      });
      await publishReportsChanged(dependencies, groupId);
      return {};
    },

    "report.listDirect": ({ params }) => listPage(null, null, params),

    "report.getOpenDirectCount": async () => ({
      open: (await reports.listOpenChannelIds(null, LIMITS.reportsCounted)).length,
    }),

    "report.closeDirect": async ({ params: { reportId, userId, outcome } }) => {
      const { channelId, messageId } = orThrow(await reports.findOpen(null, reportId), "REPORT_NOT_FOUND");
      if (outcome === "messageDeleted") {
        const { memberIds = [] } = (await channels.find(channelId)) ?? {};
        await node.services.message.remove({ channelId, messageId, rooms: memberIds.map(userRoom) });
      }
      orThrow(await reports.close(reportId, userId, outcome), "REPORT_NOT_FOUND");
      await publishReportsChanged(dependencies, null);
      return {};
    },
  };
}

interface Publishing extends Pick<GroupDependencies, "groups" | "roles"> {
  node: Pick<NodeContext, "publish" | "services">;
}

/** Notifies those who can close the reports. */
export async function publishReportsChanged(dependencies: Publishing, groupId: string | null): Promise<void> {
  const { node } = dependencies;
  if (groupId !== null)
    return publishToModerators(dependencies, groupId, "manageMessages", "report.changed", { groupId });
  const rooms = (await node.services.user.listAdminIds({})).userIds.map(userRoom);
  if (rooms.length > 0) node.publish(rooms, "report.changed", { groupId });
}
