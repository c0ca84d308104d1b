import type { Group } from "@fanfare/contract";
import { lazy, Suspense } from "react";
import { CreateChannelDialog } from "../channels/create-channel-dialog.tsx";
import { DeleteChannelDialog } from "../channels/delete-channel-dialog.tsx";
import { SectionDialog } from "../channels/section-dialog.tsx";
import { InviteDialog } from "../invites/invite-dialog.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { LeaveGroupDialog } from "./leave-group-dialog.tsx";
import { NotificationDialog } from "./notification-dialog.tsx";

const ChannelSettingsDialog = lazy(async () => ({
  default: (await import("../channels/settings/channel-settings-dialog.tsx")).ChannelSettingsDialog,
}));

interface GroupDialogsProps {
  group: Group;
  dialog: GroupDialog;
  onClose: () => void;
}

export function GroupDialogs({ group, dialog, onClose }: GroupDialogsProps) {
  switch (dialog.kind) {
    case "createChannel":
      return <CreateChannelDialog group={group} sectionId={dialog.sectionId} onClose={onClose} />;
    case "createSection":
      return <SectionDialog groupId={group.id} onClose={onClose} />;
    case "renameSection":
      return <SectionDialog groupId={group.id} section={dialog.channel} onClose={onClose} />;
    case "editChannel":
      return (
        <Suspense fallback={null}>
          <ChannelSettingsDialog group={group} channelId={dialog.channel.id} onClose={onClose} />
        </Suspense>
      );
    case "deleteChannel":
      return <DeleteChannelDialog channel={dialog.channel} onClose={onClose} />;
    case "channelNotifications":
      return (
        <NotificationDialog
          place={{ channelId: dialog.channel.id }}
          name={`#${dialog.channel.name}`}
          onClose={onClose}
        />
      );
    case "groupNotifications":
      return <NotificationDialog place={{ groupId: group.id }} name={group.name} onClose={onClose} />;
    case "invite":
      return <InviteDialog group={group} onClose={onClose} />;
    case "leave":
      return <LeaveGroupDialog group={group} onClose={onClose} />;
  }
}
