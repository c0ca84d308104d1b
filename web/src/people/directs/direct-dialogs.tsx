import type { Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, TextField, useForm } from "../../ui/form.tsx";
import { type DirectDialog, useDirect } from "./use-direct.ts";
import { lazy } from "../../shared/later.tsx";

// Loaded when the dialog is opened.
const NotificationDialog = lazy(async () => ({
  default: (await import("../../groups/notification-dialog.tsx")).NotificationDialog,
}));
const NewDirectDialog = lazy(async () => ({
  default: (await import("./people-dialogs.tsx")).NewDirectDialog,
}));
const AddPeopleDialog = lazy(async () => ({
  default: (await import("./people-dialogs.tsx")).AddPeopleDialog,
}));

interface DirectDialogsProps {
  dialog: DirectDialog;
  onClose: () => void;
}

export function DirectDialogs({ dialog, onClose }: DirectDialogsProps) {
  return (
    <Suspense fallback={null}>
      {dialog.kind === "create" ? (
        <NewDirectDialog userIds={dialog.userIds} onClose={onClose} />
      ) : (
        <AboutDirect dialog={dialog} onClose={onClose} />
      )}
    </Suspense>
  );
}

function AboutDirect({
  dialog: { kind, channel },
  onClose,
}: {
  dialog: Exclude<DirectDialog, { kind: "create" }>;
  onClose: () => void;
}) {
  const { title } = useDirect(channel);
  switch (kind) {
    case "add":
      return <AddPeopleDialog channel={channel} title={title} onClose={onClose} />;
    case "rename":
      return <RenameDirectDialog channel={channel} onClose={onClose} />;
    case "leave":
      return <LeaveDirectDialog channel={channel} title={title} onClose={onClose} />;
    case "notifications":
      return (
        <Suspense>
          <NotificationDialog place={{ channelId: channel.id }} name={title} onClose={onClose} />
        </Suspense>
      );
  }
}

interface LeaveDirectDialogProps {
  channel: Channel;
  title: string;
  onClose: () => void;
}

function LeaveDirectDialog({ channel, title, onClose }: LeaveDirectDialogProps) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const me = useMe();
  const [path, navigate] = useLocation();
  const leave = async () => {
    await call("channel.removeFromDirect", { channelId: channel.id, userId: me.id });
    if (path === directPath(channel.id)) navigate(directPath());
  };
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t("leave.title", { title })}
      action={t("leave.action")}
      onConfirm={leave}
    >
      {channel.memberIds.length === 1 ? t("leave.last") : t("leave.text")}
    </ConfirmDialog>
  );
}

/** Without a name, a group DM shows the names of its members. */
function RenameDirectDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const form = useForm({
    initial: { name: channel.name },
    async submit({ name }) {
      const wanted = name.trim() === "" ? null : name.trim();
      await call("channel.renameDirect", { channelId: channel.id, name: wanted });
    },
    onDone: onClose,
  });
  return (
    <Dialog onClose={onClose} title={t("rename.title")} size="sm">
      <Form form={form} action={t("rename.action")} disabled={!form.changed}>
        <TextField
          label={t("create.name")}
          hint={t("create.nameHint")}
          maxLength={LIMITS.channelNameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}
