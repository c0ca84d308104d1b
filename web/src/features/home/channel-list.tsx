import type { ChannelState, Group } from "@fanfare/contract";
import { Hash, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChannels } from "../../data/channels.ts";
import { useMe } from "../../data/me.ts";
import { channelPath } from "../../routes.ts";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

import { CreateChannelDialog } from "./create-channel-dialog.tsx";

interface ChannelListProps {
  group: Group;
  channelId: string | undefined;
}

export function ChannelList({ group, channelId }: ChannelListProps) {
  const { t } = useTranslation("home");
  const user = useMe();
  const { data: channels } = useChannels(group.id);
  const [creating, setCreating] = useState(false);
  return (
    <nav aria-label={t("channelsOf", { name: group.name })} className="px-2 py-3">
      <div className="flex min-h-control-sm items-center justify-between pr-1 pl-2">
        <h2 className="text-sm font-semibold text-muted">{t("channels")}</h2>
        {group.ownerId === user.id && (
          <IconButton icon={Plus} label={t("newChannel")} size="sm" onClick={() => setCreating(true)} />
        )}
      </div>
      {channels === undefined ? (
        <SkeletonRows count={4} />
      ) : (
        <ul className="grid gap-px">
          {channels.map((channel) => (
            <li key={channel.id}>
              <Entry groupId={group.id} channel={channel} isShown={channel.id === channelId} />
            </li>
          ))}
        </ul>
      )}
      <CreateChannelDialog groupId={group.id} open={creating} onClose={() => setCreating(false)} />
    </nav>
  );
}

function Entry({ groupId, channel, isShown }: { groupId: string; channel: ChannelState; isShown: boolean }) {
  const { t } = useTranslation("home");
  const unread = isShown ? 0 : Math.max(0, channel.head.seq - channel.lastReadSeq);
  return (
    <Link
      href={channelPath(groupId, channel.id)}
      aria-current={isShown ? "page" : undefined}
      className={cx(
        "flex min-h-row items-center gap-2 rounded-md px-2 -outline-offset-2",
        isShown ? "bg-selected font-medium" : "hover:bg-hover",
        unread > 0 ? "font-semibold" : !isShown && "text-muted hover:text-text",
      )}
    >
      <Hash size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{channel.name}</span>
      <CountBadge count={unread} label={t("unread", { count: unread })} />
    </Link>
  );
}
