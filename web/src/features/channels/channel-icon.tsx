import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Hash, Lock, type LucideIcon, Megaphone } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMyPermissions } from "../../data/permissions.ts";

/** A channel in which one reads only: others have something to say there. */
function useIsReadOnly({ id, groupId }: Channel): boolean {
  const held = useMyPermissions(groupId ?? "").data?.channels.find(({ channelId }) => channelId === id);
  return held !== undefined && !hasPermission(held.permissions, "sendMessages");
}

/** What kind of channel it is. */
export function ChannelIcon({ channel, className }: { channel: Channel; className?: string }) {
  const { t } = useTranslation("channels");
  const isReadOnly = useIsReadOnly(channel);
  const [Icon, label]: [LucideIcon, string | null] = channel.private
    ? [Lock, t("kind.private")]
    : isReadOnly
      ? [Megaphone, t("kind.announcement")]
      : [Hash, null];
  return (
    <>
      <Icon size={17} aria-hidden className={className} />
      {label !== null && <span className="sr-only">{label} </span>}
    </>
  );
}
