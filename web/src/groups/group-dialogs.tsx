import type { Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useGroup } from "../data/groups.ts";
import { NameDialog } from "../ui/form-dialog.tsx";
import { CreateChannelDialog } from "./channels/create-channel-dialog.tsx";
import { ChannelSettingsDialog } from "./channels/settings/channel-settings.tsx";
import type { GroupDialog } from "./open-group-dialog.tsx";
import { InviteDialog } from "./invites/invites.tsx";
import { NotificationDialog } from "./notification-dialog.tsx";

interface GroupDialogsProps {
  groupId: string;
  dialog: GroupDialog;
  onClose: () => void;
}

export function GroupDialogs({ groupId, dialog, onClose }: GroupDialogsProps) {
  const group = useGroup(groupId);
  if (group === undefined) return null;
  switch (dialog.kind) {
    case "createChannel":
      return <CreateChannelDialog group={group} sectionId={dialog.sectionId} onClose={onClose} />;
    case "createSection":
      return <SectionDialog groupId={groupId} onClose={onClose} />;
    case "renameSection":
      return <SectionDialog groupId={groupId} section={dialog.channel} onClose={onClose} />;
    case "editChannel":
      return <ChannelSettingsDialog group={group} channelId={dialog.channel.id} onClose={onClose} />;
    case "channelNotifications":
      return (
        <NotificationDialog
          place={{ channelId: dialog.channel.id }}
          name={`#${dialog.channel.name}`}
          onClose={onClose}
        />
      );
    case "groupNotifications":
      return <NotificationDialog place={{ groupId }} name={group.name} onClose={onClose} />;
    case "invite":
      return <InviteDialog group={group} onClose={onClose} />;
  }
}

interface SectionDialogProps {
  groupId: string;
  /** The section to rename; omitted to create one. */
  section?: Channel;
  onClose: () => void;
}

function SectionDialog({ groupId, section, onClose }: SectionDialogProps) {
  const { t } = useTranslation("channels");
  const call = useCall();
  return (
    <NameDialog
      onClose={onClose}
      {...(section === undefined
        ? { title: t("section.create"), action: t("section.createAction"), hint: t("section.hint") }
        : { title: t("section.rename") })}
      label={t("section.name")}
      name={section?.name ?? ""}
      required
      maxLength={LIMITS.channelNameMaxChars}
      onSave={(name) =>
        section === undefined
          ? call("channel.create", { groupId, name, kind: "section" })
          : call("channel.update", { channelId: section.id, name })
      }
    />
  );
}
