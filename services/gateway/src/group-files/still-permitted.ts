import { can, serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import type { EndedSessions } from "../ended-sessions.ts";

export type ExportStart = "group.startExport" | "admin.startGroupExport" | "admin.startMessageExport";

/**
 * Checks before each page of an export that its caller can still start it. The access token can have expired meanwhile.
 * @throws {ServiceError} SESSION_REVOKED or FORBIDDEN
 */
export async function assertStillPermitted(
  { access, services }: Pick<NodeContext, "access" | "services">,
  ended: EndedSessions,
  { userId, sessionId }: Actor,
  { start, groupId }: { start: ExportStart; groupId: string | undefined },
): Promise<void> {
  if (ended.has(sessionId)) throw serviceError("SESSION_REVOKED");
  const isPermitted =
    start === "group.startExport"
      ? can(await access.get(userId, { groupId: groupId! }), "ownGroup")
      : (await services.user.listAdminIds({})).userIds.includes(userId);
  if (!isPermitted) throw serviceError("FORBIDDEN");
}
