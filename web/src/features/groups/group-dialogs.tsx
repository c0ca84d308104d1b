import type { Group, Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { landingPath } from "../../routes.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { CreateChannelDialog } from "../channels/create-channel-dialog.tsx";
import { InviteDialog } from "../invites/invite-dialog.tsx";
import type { GroupDialog } from "./group-dialog.ts";
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

/** Asks before a channel goes with its messages, or a section, whose channels stay. */
function DeleteChannelDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const isSection = channel.kind === "section";
  return (
    <ConfirmDialog
      open
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
      open
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
  /** The one to rename; a new one without it. */
  section?: Channel;
  onClose: () => void;
}

/** The name of a section. */
function SectionDialog({ groupId, section, onClose }: SectionDialogProps) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const form = useForm({
    initial: { name: section?.name ?? "" },
    async submit({ name }) {
      if (section === undefined) await call("channel.create", { groupId, name, kind: "section" });
      else await call("channel.update", { channelId: section.id, name });
      onClose();
    },
  });
  return (
    <Dialog
      open
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
