import type { AuditEntry, Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useChannels } from "../../../data/channels.ts";
import { auditTarget } from "../../../data/manifest.ts";
import { useRoles } from "../../../data/roles.ts";
import { useUser } from "../../../data/users.ts";
import { userName } from "../user-name.ts";

/** What a deed was done to, by name: as it is called now, or as it was called when it was deleted. */
export function useTargetNames(group: Group, entry: AuditEntry): { target: string; role: string } {
  const { t } = useTranslation("group-settings");
  const { action, targetId, before, after } = entry;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const noted = text(after?.["name"]) ?? text(before?.["name"]);
  const about = auditTarget(action);
  const isMessage = about === "message";
  const userId =
    about === "user" || about === "bot" ? targetId : isMessage ? text(before?.["authorId"]) : null;
  const user = useUser(userId);
  const roles = useRoles(group.id).data;
  const channels = useChannels(group.id).data;
  const roleOf = (id: unknown): string => roles?.find((role) => role.id === id)?.name ?? t("audit.goneRole");
  const channelOf = (id: unknown): string | undefined => channels?.find((channel) => channel.id === id)?.name;
  const role = roleOf(after?.["roleId"]);
  if (isMessage) return { target: userName(user), role };
  if (userId !== null) return { target: user === undefined ? (noted ?? "–") : userName(user), role };
  if (about === "role") return { target: noted ?? roleOf(targetId), role };
  if (about === "channel") {
    return { target: channelOf(targetId) ?? noted ?? t("audit.goneChannel"), role };
  }
  if (about === "invite") return { target: text((after ?? before)?.["code"]) ?? "", role };
  return { target: noted ?? "", role };
}
