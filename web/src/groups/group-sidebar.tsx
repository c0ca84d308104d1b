import { Bell, CheckCheck, ChevronDown, FolderPlus, LogOut, Plus, Settings, UserPlus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Channel, Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { useLocation } from "wouter";
import { LIMITS } from "@fanfare/contract/limits";
import { useCanInGroup, useGroup, useMyPermissions } from "../data/groups.ts";
import { IconButton } from "../ui/button.tsx";
import { Skeleton, SkeletonRows, showFailure } from "../ui/feedback.tsx";
import { ChannelList } from "./channels/channel-list.tsx";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { groupSettingsPath, landingPath } from "../routes.ts";
import { Menu, type MenuList } from "../ui/menu.tsx";
import { hasGroupSettings } from "./group-settings/sections.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { CreateChannelDialog } from "./channels/create-channel-dialog.tsx";
import { InviteDialog } from "./invites/invites.tsx";
import type { GroupDialog, OpenDialog } from "./group-dialog.ts";
import { NotificationDialog } from "./notification-dialog.tsx";

interface GroupSidebarProps {
  groupId: string;
  channelId: string | undefined;
}

export function GroupSidebar({ groupId, channelId }: GroupSidebarProps) {
  const { t } = useTranslation("groups");
  const group = useGroup(groupId);
  const canInvite = useCanInGroup(groupId, "createInvites");
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
        {canInvite && (
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

function GroupMenu({ group, onOpen }: { group: Group; onOpen: OpenDialog }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const me = useMe();
  const [, navigate] = useLocation();
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const markRead = () => call("inbox.markGroupRead", { groupId: group.id }).catch(showFailure);
  const canManage = hasPermission(permissions, "manageChannels");
  // The owner can only transfer or delete the group, in its settings.
  const canLeave = group.ownerId !== me.id;
  const items: MenuList = [
    hasPermission(permissions, "createInvites") && {
      label: t("menu.invite"),
      icon: UserPlus,
      onSelect: () => onOpen({ kind: "invite" }),
    },
    hasGroupSettings(permissions) && {
      label: t("menu.settings"),
      icon: Settings,
      onSelect: () => navigate(groupSettingsPath(group.id)),
    },
    canManage && {
      label: t("menu.createChannel"),
      icon: Plus,
      onSelect: () => onOpen({ kind: "createChannel", sectionId: null }),
    },
    canManage && {
      label: t("menu.createSection"),
      icon: FolderPlus,
      onSelect: () => onOpen({ kind: "createSection" }),
    },
    "separator",
    { label: t("menu.notifications"), icon: Bell, onSelect: () => onOpen({ kind: "groupNotifications" }) },
    { label: t("menu.markRead"), icon: CheckCheck, onSelect: () => void markRead() },
    canLeave && "separator",
    canLeave && {
      label: t("menu.leave"),
      icon: LogOut,
      danger: true,
      onSelect: () => onOpen({ kind: "leave" }),
    },
  ];
  return (
    <Menu
      align="start"
      items={items}
      trigger={
        <button
          type="button"
          className="flex min-h-control min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 text-left font-semibold hover:bg-hover data-popup-open:bg-hover"
        >
          <span className="min-w-0 truncate">{group.name}</span>
          <ChevronDown size={16} aria-hidden className="shrink-0 text-muted" />
        </button>
      }
    />
  );
}

const ChannelSettingsDialog = lazy(async () => ({
  default: (await import("./channels/settings/channel-settings.tsx")).ChannelSettingsDialog,
}));

interface GroupDialogsProps {
  group: Group;
  dialog: GroupDialog;
  onClose: () => void;
}

function GroupDialogs({ group, dialog, onClose }: GroupDialogsProps) {
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
