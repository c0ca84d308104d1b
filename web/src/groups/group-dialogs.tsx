import type { Channel, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../data/call.ts";
import { landingPath } from "../routes.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { CreateChannelDialog } from "./channels/create-channel-dialog.tsx";
import { ChannelSettingsDialog } from "./channels/settings/channel-settings.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { InviteDialog } from "./invites/invites.tsx";
import { NotificationDialog } from "./notification-dialog.tsx";

interface GroupDialogsProps {
  group: Group;
  dialog: GroupDialog;
  onClose: () => void;
}

/** Loaded when the first of them is opened. */
export function GroupDialogs({ group, dialog, onClose }: GroupDialogsProps) {
  switch (dialog.kind) {
    case "createChannel":
      return <CreateChannelDialog group={group} sectionId={dialog.sectionId} onClose={onClose} />;
    case "createSection":
      return <SectionDialog groupId={group.id} onClose={onClose} />;
    case "renameSection":
      return <SectionDialog groupId={group.id} section={dialog.channel} onClose={onClose} />;
    case "editChannel":
      return <ChannelSettingsDialog group={group} channelId={dialog.channel.id} onClose={onClose} />;
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

/** Deleting a channel deletes its messages; the channels of a deleted section are kept. */
function DeleteChannelDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const isSection = channel.kind === "section";
  return (
    <ConfirmDialog
      onClose={onClose}
      danger
      title={
        isSection
          ? t("channels:delete.sectionTitle", { name: channel.name })
          : t("channels:delete.title", { name: channel.name })
      }
      action={isSection ? t("channels:delete.sectionAction") : t("channels:delete.action")}
      onConfirm={() => call("channel.delete", { channelId: channel.id })}
    >
      {isSection ? t("channels:delete.sectionText") : t("channels:delete.text")}
    </ConfirmDialog>
  );
}

function LeaveGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const [, navigate] = useLocation();
  const leave = async () => {
    await call("group.leave", { groupId: group.id });
    navigate(landingPath());
  };
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t("leave.title", { group: group.name })}
      action={t("leave.action")}
      danger
      onConfirm={leave}
    >
      {t("leave.text")}
    </ConfirmDialog>
  );
}

interface SectionDialogProps {
  groupId: string;
  /** The section to rename; omitted to create one. */
  section?: Channel;
  onClose: () => void;
}

function SectionDialog({ groupId, section, onClose }: SectionDialogProps) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const form = useForm({
    initial: { name: section?.name ?? "" },
    submit: ({ name }) =>
      section === undefined
        ? call("channel.create", { groupId, name, kind: "section" })
        : call("channel.update", { channelId: section.id, name }),
    onDone: onClose,
  });
  return (
    <Dialog
      onClose={onClose}
      size="sm"
      title={section === undefined ? t("channels:section.create") : t("channels:section.rename")}
    >
      <Form
        form={form}
        action={section === undefined ? t("channels:section.createAction") : t("channels:save")}
        disabled={form.values.name.trim() === ""}
      >
        <TextField
          label={t("channels:section.name")}
          hint={section === undefined ? t("channels:section.hint") : undefined}
          required
          autoFocus
          maxLength={LIMITS.channelNameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}
