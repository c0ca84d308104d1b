import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useGroup } from "../../data/groups.ts";
import { useCanInGroup } from "../../data/permissions.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { ChannelList } from "../channels/channel-list.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { GroupDialogs } from "./group-dialogs.tsx";
import { GroupMenu } from "./group-menu.tsx";

interface GroupSidebarProps {
  groupId: string;
  /** The channel that is shown. */
  channelId: string | undefined;
}

/** The group's menu, its channels, and what is asked in front of them. */
export function GroupSidebar({ groupId, channelId }: GroupSidebarProps) {
  const { t } = useTranslation("groups");
  const group = useGroup(groupId);
  const mayInvite = useCanInGroup(groupId, "createInvites");
  const [dialog, setDialog] = useState<GroupDialog | null>(null);
  if (group === undefined) {
    return (
      <div className="grid gap-4 p-4">
        <Skeleton className="h-5 w-36" />
        <SkeletonRows />
      </div>
    );
  }
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line px-2">
        <GroupMenu group={group} onOpen={setDialog} />
        {mayInvite && (
          <IconButton
            icon={UserPlus}
            label={t("invite")}
            tooltipSide="bottom"
            onClick={() => setDialog({ kind: "invite" })}
          />
        )}
      </header>
      <ChannelList key={group.id} group={group} channelId={channelId} onOpen={setDialog} />
      {dialog !== null && <GroupDialogs group={group} dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}
