import type { Member, Group } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Ban, Crown, Mic, MicOff, Pencil, Shield, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useNow } from "../../../shared/hooks.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import type { OwnAuthority } from "../authority.tsx";
import { showFailure } from "../../../ui/feedback.tsx";

export type MemberDialogKind = "nickname" | "roles" | "mute" | "kick" | "ban" | "transfer";

export interface MemberDialog {
  kind: MemberDialogKind;
  /** A snapshot from when the dialog was opened. */
  member: Member;
}

export function useMemberMenu(
  group: Group,
  member: Member,
  /** Neither a guest nor a bot. */
  isAccount: boolean,
  authority: OwnAuthority,
  onOpen: (kind: MemberDialogKind) => void,
): MenuItem[] {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const now = useNow();
  const { groupId, userId, mutedUntil } = member;
  const canTouch = authority.canManageMember(member);
  const can = (name: Parameters<typeof hasPermission>[1]): boolean =>
    canTouch && hasPermission(authority.permissions, name);
  const isMuted = mutedUntil !== null && Date.parse(mutedUntil) > now;
  const unmute = () => call("group.unmute", { groupId, userId }).catch(showFailure);
  // Members can also assign roles below their highest one to themselves.
  const canGiveRoles =
    hasPermission(authority.permissions, "manageRoles") &&
    (canTouch || userId === me.id || authority.isOwner);
  const canName =
    userId === me.id ? hasPermission(authority.permissions, "changeNickname") : can("manageNicknames");
  const items: (MenuItem | false)[] = [
    canName && { label: t("members.nickname"), icon: Pencil, onSelect: () => onOpen("nickname") },
    canGiveRoles && { label: t("members.roles"), icon: Shield, onSelect: () => onOpen("roles") },
    can("muteMembers") &&
      (isMuted
        ? { label: t("members.unmute"), icon: Mic, onSelect: () => void unmute() }
        : { label: t("members.mute"), icon: MicOff, onSelect: () => onOpen("mute") }),
    authority.isOwner &&
      isAccount &&
      userId !== me.id && {
        label: t("members.transfer"),
        icon: Crown,
        onSelect: () => onOpen("transfer"),
      },
    can("kickMembers") && {
      label: t("members.kick"),
      icon: UserMinus,
      danger: true,
      onSelect: () => onOpen("kick"),
    },
    can("banMembers") && {
      label: t("members.ban"),
      icon: Ban,
      danger: true,
      onSelect: () => onOpen("ban"),
    },
  ];
  return items.filter((item) => item !== false);
}
