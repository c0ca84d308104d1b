import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useAsk, useServerCache } from "../../data/data-context.ts";
import { useChannelPermissions } from "../../data/permissions.ts";
import { useNow } from "../../shared/use-now.ts";

/** Whether the user can write in a channel, and if not, why. */
export type ComposerState = { kind: "open" } | { kind: "muted"; untilMs: number } | { kind: "readOnly" };

export function useComposerState(channel: Channel): ComposerState {
  const { client } = useServerCache();
  const groupId = channel.groupId ?? "";
  const enabled = channel.groupId !== null;
  const permissions = useChannelPermissions(channel);
  const { isSuccess } = useAsk("group.myPermissions", { groupId }, { enabled });
  const { data: mutedUntil = null } = useAsk(
    "group.getMember",
    { groupId, userId: client.user?.id ?? "" },
    { enabled, select: ({ member }) => member.mutedUntil },
  );
  const nowMs = useNow();
  const untilMs = mutedUntil === null ? 0 : Date.parse(mutedUntil);
  if (untilMs > nowMs) return { kind: "muted", untilMs };
  // Until it is known, most may.
  if (enabled && isSuccess && !hasPermission(permissions, "sendMessages")) return { kind: "readOnly" };
  return { kind: "open" };
}
