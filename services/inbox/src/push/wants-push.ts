import type { SettingDocument } from "../setting.repository.ts";

/** Why somebody may be told of a message. */
export type Reason = "direct" | "mention" | "role" | "everyone" | "any";
export type Setting = Pick<SettingDocument, "level" | "mutedUntil" | "suppressEveryone">;

/** Whether the settings of a user let a message through; undefined: there is none for the place. */
export function wantsPush(
  reason: Reason,
  group: Setting | undefined,
  channel: Setting | undefined,
  nowMs: number,
): boolean {
  if ([group, channel].some((setting) => (setting?.mutedUntil?.getTime() ?? 0) > nowMs)) return false;
  const level = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  if (level === "nothing") return false;
  // Who wants everything is pushed to in any case: once is enough.
  if (reason === "role") return level === "mentions";
  if (reason === "everyone") return level === "mentions" && group?.suppressEveryone !== true;
  return level === "all" || reason === "mention";
}
