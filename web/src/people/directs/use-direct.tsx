import type { Channel, ChannelState } from "@fanfare/contract";
import { useMemo, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { useUsers } from "../../data/people.ts";
import { Bell, CheckCheck, LogOut, Pencil, UserPlus, X } from "lucide-react";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useFavoriteItem } from "../../groups/channels/channel-marks.ts";
import { directPath } from "../../routes.ts";
import { showToast, showFailure } from "../../ui/feedback.tsx";
import type { MenuList } from "../../ui/menu.tsx";
import { openConfirm, openDialog } from "../../ui/open-dialog.tsx";
import { userName } from "../members/user-name.tsx";
import { isErrorOf } from "../../shared/use-action.ts";
import { lazy } from "../../shared/later.tsx";

/** How a direct message is shown to the current user. */
export interface Direct {
  /** The channel's name or the names of the others. */
  title: string;
  otherIds: readonly string[];
  /** The other user, in a one-to-one conversation. In the user's notes to themselves, the user. */
  otherId: string | null;
}

const MAX_NAMES = 4;

const LOADING: Pick<Channel, "kind" | "name" | "memberIds"> = {
  kind: "groupDirect",
  name: "",
  memberIds: [],
};

export function useDirect({ kind, name, memberIds } = LOADING): Direct {
  const { t } = useTranslation("directs");
  const me = useMe();
  const otherIds = useMemo(() => memberIds.filter((id) => id !== me.id), [memberIds, me.id]);
  const users = useUsers(otherIds.slice(0, MAX_NAMES));
  const otherId = kind === "direct" ? (otherIds[0] ?? me.id) : null;
  const names = users.map((user) => userName(user));
  if (otherIds.length > MAX_NAMES) names.push("…");
  const alone = kind === "direct" ? t("notes") : t("onlyYou");
  const title = name !== "" ? name : otherIds.length === 0 ? alone : names.join(t("comma")) || "…";
  return { title, otherIds, otherId };
}

interface DirectMenu {
  items: MenuList;
  close: () => void;
}

export function useDirectMenu(channel: ChannelState): DirectMenu {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [path, navigate] = useLocation();
  const me = useMe();
  const { otherIds, title } = useDirect(channel);
  const { id: channelId, head, lastReadSeq } = channel;
  const close = (): void => {
    call("channel.closeDirect", { channelId }).catch(showFailure);
    if (path === directPath(channelId)) navigate(directPath());
  };
  const leave = () =>
    openConfirm({
      danger: true,
      title: t("leave.title", { title }),
      children: channel.memberIds.length === 1 ? t("leave.last") : t("leave.text"),
      action: t("leave.action"),
      async onConfirm() {
        await call("channel.removeFromDirect", { channelId, userId: me.id });
        if (location.pathname === directPath(channelId)) navigate(directPath());
      },
    });
  const isGroup = channel.kind === "groupDirect";
  const items: MenuList = [
    {
      label: t("common:markRead"),
      icon: CheckCheck,
      disabled: head.seq <= lastReadSeq,
      onSelect: () => void call("channel.markRead", { channelId, seq: head.seq }).catch(showFailure),
    },
    useFavoriteItem(channelId),
    { label: t("common:notifications"), icon: Bell, onSelect: () => openNotifications(channel, title) },
    isGroup
      ? { label: t("menu.add"), icon: UserPlus, onSelect: () => openAddPeople(channel, title) }
      : otherIds.length > 0 && {
          label: t("menu.startGroup"),
          icon: UserPlus,
          onSelect: () => openNewDirect(otherIds),
        },
    isGroup && { label: t("common:rename"), icon: Pencil, onSelect: () => openRename(channel) },
    "separator",
    { label: t("menu.close"), icon: X, onSelect: close },
    isGroup && { label: t("leave.action"), icon: LogOut, danger: true, onSelect: leave },
  ];
  return { items, close };
}

/** Opens the direct message with a user, creating it if needed. Failures are shown as a toast. */
export function useOpenDirect(): (userId: string, prepare?: (channelId: string) => void) => Promise<void> {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [, navigate] = useLocation();
  const isAccount = useMe().kind === "member";
  return useCallback(
    async (userId, prepare) => {
      try {
        const { channel } = await call("channel.openDirect", { userId });
        prepare?.(channel.id);
        navigate(directPath(channel.id));
      } catch (error) {
        if (!isErrorOf(error, "NOT_REACHABLE")) return showFailure(error);
        const ask = () =>
          void call("friend.request", { userId }).then(
            () => showToast({ text: t("friends:add.requestedThem"), tone: "good" }),
            () => showToast({ text: t("friends:add.refused"), tone: "danger" }),
          );
        showToast({
          text: t("notReachable"),
          tone: "danger",
          ...(isAccount && { action: { label: t("members:action.befriend"), onClick: ask } }),
        });
      }
    },
    [t, call, navigate, isAccount],
  );
}

// Loaded when the dialog is opened.
const NotificationDialog = lazy(
  async () => (await import("../../groups/notification-dialog.tsx")).NotificationDialog,
);
const NewDirectDialog = lazy(async () => (await import("./people-dialogs.tsx")).NewDirectDialog);
const AddPeopleDialog = lazy(async () => (await import("./people-dialogs.tsx")).AddPeopleDialog);
const RenameDirectDialog = lazy(async () => (await import("./people-dialogs.tsx")).RenameDirectDialog);

export function openNewDirect(userIds: readonly string[]): void {
  openDialog((onClose) => <NewDirectDialog userIds={userIds} onClose={onClose} />);
}

export function openAddPeople(channel: Channel, title: string): void {
  openDialog((onClose) => <AddPeopleDialog channel={channel} title={title} onClose={onClose} />);
}

function openRename(channel: Channel): void {
  openDialog((onClose) => <RenameDirectDialog channel={channel} onClose={onClose} />);
}

function openNotifications({ id: channelId }: Channel, title: string): void {
  openDialog((onClose) => <NotificationDialog place={{ channelId }} name={title} onClose={onClose} />);
}
