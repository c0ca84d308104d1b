import type { User } from "@fanfare/contract";
import { AtSign, Ban, Check, MessageCircle, ShieldOff, Undo2, UserPlus, UserX, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { copyText } from "../../shared/copy-field.tsx";
import type { MenuItem } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast.tsx";
import { usePersonActions } from "./use-person-actions.ts";

/** What one can do about somebody, as a menu. `isBrief` leaves out what the card of a user has as buttons. */
export function usePersonMenu(user: User | undefined, { isBrief = false } = {}): MenuItem[] {
  const { t } = useTranslation("members");
  const { message, befriend, accept, decline, withdraw, unfriend, block, unblock } = usePersonActions(user);
  const username = user?.username;
  const copy = async (text: string) => {
    if (await copyText(text)) showToast({ text: t("usernameCopied"), tone: "good" });
  };
  const items: (MenuItem | undefined | false)[] = [
    !isBrief && message && { label: t("action.message"), icon: MessageCircle, onSelect: message },
    !isBrief && befriend && { label: t("action.befriend"), icon: UserPlus, onSelect: befriend },
    !isBrief && accept && { label: t("action.accept"), icon: Check, onSelect: accept },
    !isBrief && decline && { label: t("action.decline"), icon: X, onSelect: decline },
    !isBrief && withdraw && { label: t("action.withdraw"), icon: Undo2, onSelect: withdraw },
    typeof username === "string" && {
      label: t("action.copyUsername"),
      icon: AtSign,
      onSelect: () => void copy(username),
    },
    unfriend && { label: t("action.unfriend"), icon: UserX, danger: true, onSelect: unfriend },
    block && { label: t("action.block"), icon: Ban, danger: true, onSelect: block },
    !isBrief && unblock && { label: t("action.unblock"), icon: ShieldOff, onSelect: unblock },
  ];
  return items.filter((item) => item !== undefined && item !== false);
}
