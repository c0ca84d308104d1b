import type { Member, Group } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Ban, Crown, Mic, MicOff, Pencil, Shield, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useNow } from "../../../shared/hooks.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import type { OwnAuthority } from "../authority.tsx";
import { closeProfile } from "../../../people/members/people-store.tsx";
import { lazy } from "../../../shared/later.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { openDialog } from "../../../ui/open-dialog.tsx";

export type MemberDialogKind = "nickname" | "roles" | "mute" | "kick" | "ban" | "transfer";

// Loaded when the first of them is opened.
const MemberDialogs = lazy(async () => (await import("./member-dialogs.tsx")).MemberDialogs);

export function useMemberMenu(
  group: Group,
  member: Member,
  /** Neither a guest nor a bot. */
  isAccount: boolean,
  authority: OwnAuthority,
): MenuItem[] {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const now = useNow();
  const { groupId, userId, mutedUntil } = member;
  const open = (kind: MemberDialogKind) => {
    closeProfile();
    openDialog((onClose) => <MemberDialogs kind={kind} group={group} member={member} onClose={onClose} />);
  };
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
    canName && { label: t("members.nickname"), icon: Pencil, onSelect: () => open("nickname") },
    canGiveRoles && { label: t("common:roles"), icon: Shield, onSelect: () => open("roles") },
    can("muteMembers") &&
      (isMuted
        ? { label: t("members.unmute"), icon: Mic, onSelect: () => void unmute() }
        : { label: t("moderate.mute.action"), icon: MicOff, onSelect: () => open("mute") }),
    authority.isOwner &&
      isAccount &&
      userId !== me.id && {
        label: t("danger.transfer"),
        icon: Crown,
        onSelect: () => open("transfer"),
      },
    can("kickMembers") && {
      label: t("members.kick"),
      icon: UserMinus,
      danger: true,
      onSelect: () => open("kick"),
    },
    can("banMembers") && {
      label: t("members.ban"),
      icon: Ban,
      danger: true,
      onSelect: () => open("ban"),
    },
  ];
  return items.filter((item) => item !== false);
}
