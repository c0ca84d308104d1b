import type { User, ActionName, Params } from "@fanfare/contract";
import { AtSign, Ban, Check, MessageCircle, ShieldOff, Undo2, UserPlus, UserX, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { copyAndSay } from "../../shared/copy.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { showToast } from "../../ui/feedback.tsx";
import { useIsBlocked, useMe } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { useFriendRequests, useFriends } from "../../data/people.ts";
import { errorText, isErrorOf } from "../../shared/use-action.ts";
import { useOpenDirect } from "../directs/use-direct.tsx";
import { openConfirm } from "../../ui/open-dialog.tsx";
import { closeProfile } from "./people-store.tsx";

/** Actions on a user. `isBrief` leaves out those that the user's card has as buttons. */
export function usePersonMenu(user: User | undefined, { isBrief = false } = {}): MenuItem[] {
  const { t } = useTranslation("members");
  const { message, befriend, accept, decline, withdraw, unfriend, block, unblock } = usePersonActions(user);
  const username = user?.username;
  const items: (MenuItem | undefined | false)[] = [
    !isBrief && message && { label: t("action.message"), icon: MessageCircle, onSelect: message },
    !isBrief && befriend && { label: t("action.befriend"), icon: UserPlus, onSelect: befriend },
    !isBrief && accept && { label: t("action.accept"), icon: Check, onSelect: accept },
    !isBrief && decline && { label: t("action.decline"), icon: X, onSelect: decline },
    !isBrief && withdraw && { label: t("action.withdraw"), icon: Undo2, onSelect: withdraw },
    typeof username === "string" && {
      label: t("action.copyUsername"),
      icon: AtSign,
      onSelect: () => void copyAndSay(username, t("usernameCopied")),
    },
    unfriend && { label: t("confirm.unfriend.action"), icon: UserX, danger: true, onSelect: unfriend },
    block && { label: t("confirm.block.action"), icon: Ban, danger: true, onSelect: block },
    !isBrief && unblock && { label: t("action.unblock"), icon: ShieldOff, onSelect: unblock },
  ];
  return items.filter((item) => item !== undefined && item !== false);
}

/** The relation to the current user; null while loading, and for guests, who have no friends. */
type Friendship = "none" | "friend" | "incoming" | "outgoing" | null;

/** The available actions on a user apart from group moderation. They never reject. */
interface PersonActions {
  message?: () => void;
  befriend?: () => void;
  accept?: () => void;
  decline?: () => void;
  withdraw?: () => void;
  unfriend?: () => void;
  block?: () => void;
  unblock?: () => void;
}

export function usePersonActions(user: User | undefined): PersonActions {
  const { t } = useTranslation("members");
  const call = useCall();
  const openDirect = useOpenDirect();
  const me = useMe();
  const friendship = useFriendship(user?.id ?? "");
  const isBlocked = useIsBlocked(user?.id ?? "");
  if (user === undefined || user.deleted === true || user.id === me.id) return {};
  const { id: userId } = user;
  const run = async <N extends ActionName>(name: N, params: Params<N>, done?: string): Promise<void> => {
    try {
      await call(name, params);
      if (done !== undefined) showToast({ text: done, tone: "good" });
    } catch (error) {
      showToast({
        text: isErrorOf(error, "NOT_REACHABLE") ? t("requestNotAccepted") : errorText(error),
        tone: "danger",
      });
    }
  };
  const ask = (kind: "unfriend" | "block", action: "friend.remove" | "user.block") => {
    closeProfile();
    openConfirm({
      danger: true,
      title: t(`confirm.${kind}.title`, { name: user.nickname }),
      children: t(`confirm.${kind}.text`),
      action: t(`confirm.${kind}.action`),
      onConfirm: () => call(action, { userId }),
    });
  };
  if (isBlocked) return { unblock: () => void run("user.unblock", { userId }) };
  return {
    message() {
      closeProfile();
      void openDirect(userId);
    },
    ...(friendship === "none" &&
      user.kind === "member" && {
        befriend: () =>
          void run("friend.request", { userId }, t("friends:add.requested", { name: user.nickname })),
      }),
    ...(friendship === "incoming" && {
      accept: () => void run("friend.accept", { userId }),
      decline: () => void run("friend.decline", { userId }),
    }),
    ...(friendship === "outgoing" && { withdraw: () => void run("friend.remove", { userId }) }),
    ...(friendship === "friend" && { unfriend: () => ask("unfriend", "friend.remove") }),
    block: () => ask("block", "user.block"),
  };
}

function useFriendship(userId: string): Friendship {
  const { data: friends } = useFriends();
  const { data: requests } = useFriendRequests();
  if (friends === undefined || requests === undefined) return null;
  if (friends.some((friend) => friend.userId === userId)) return "friend";
  return requests.find((request) => request.userId === userId)?.direction ?? "none";
}
