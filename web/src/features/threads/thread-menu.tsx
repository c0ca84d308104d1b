import type { Channel } from "@fanfare/contract";
import { Archive, ArchiveRestore, Bell, BellOff, Ellipsis, Link } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useActionMutation } from "../../data/call.ts";
import { useNotificationSetting } from "../../data/notifications.ts";
import { placePath } from "../../routes.ts";
import { copyText } from "../../shared/copy-text.ts";
import { errorText } from "../../shared/error-text.ts";
import { useNow } from "../../shared/use-now.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { MenuItem } from "../../ui/menu-item.ts";
import { showToast } from "../../ui/toast.tsx";
import { isMutedNow, mutedUntil } from "../channels/mute.ts";
import { useArchive } from "./use-archive.ts";

/** What can be done with a thread as a whole. */
export function ThreadMenu({ thread }: { thread: Channel }) {
  const { t } = useTranslation("threads");
  const nowMs = useNow();
  const setNotification = useActionMutation("notification.set");
  const isMuted = isMutedNow(useNotificationSetting({ channelId: thread.id }), nowMs);
  const { isArchived, mayChange, toggle } = useArchive(thread);
  const onError = (error: unknown) => showToast({ text: errorText(error), tone: "danger" });
  const copyLink = () => {
    const path = placePath(thread.groupId, thread.parentId ?? thread.id, { thread: thread.id });
    void copyText(location.origin + path).then((isCopied) =>
      showToast(
        isCopied ? { text: t("linkCopied"), tone: "good" } : { text: t("notCopied"), tone: "danger" },
      ),
    );
  };
  const toggleMute = () => {
    const until = isMuted ? null : mutedUntil(null, nowMs);
    setNotification.mutate({ channelId: thread.id, mutedUntil: until }, { onError });
  };
  const items: MenuItem[] = [
    { label: t("copyLink"), icon: Link, onSelect: copyLink },
    { label: isMuted ? t("unmute") : t("mute"), icon: isMuted ? Bell : BellOff, onSelect: toggleMute },
  ];
  if (mayChange) {
    items.push("separator", {
      label: isArchived ? t("archived.undo") : t("archive"),
      icon: isArchived ? ArchiveRestore : Archive,
      onSelect: toggle,
    });
  }
  return <Menu trigger={<IconButton icon={Ellipsis} label={t("more")} tooltipSide="left" />} items={items} />;
}
