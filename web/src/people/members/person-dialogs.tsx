import type { Member } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useGroup } from "../../data/groups.ts";
import { useUser } from "../../data/people.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import type { MemberDialogKind } from "../../groups/group-settings/members/use-member-menu.ts";
import { MemberDialogs } from "../../groups/group-settings/members/member-dialogs.tsx";
import { useAuthority } from "../../groups/group-settings/authority.tsx";
import type { PersonDialog } from "./people-store.tsx";
import { useName } from "./user-name.tsx";

interface PersonDialogsProps {
  dialog: PersonDialog;
  onClose: () => void;
}

export function PersonDialogs({ dialog, onClose }: PersonDialogsProps) {
  if ("member" in dialog) return <AboutMember {...dialog} onClose={onClose} />;
  return <AboutUser {...dialog} onClose={onClose} />;
}

function AboutUser({
  kind,
  userId,
  onClose,
}: {
  kind: "block" | "unfriend";
  userId: string;
  onClose: () => void;
}) {
  const { t } = useTranslation("members");
  const call = useCall();
  const name = useName(useUser(userId));
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t(`confirm.${kind}.title`, { name })}
      action={t(`confirm.${kind}.action`)}
      onConfirm={() => call(kind === "block" ? "user.block" : "friend.remove", { userId })}
    >
      {t(`confirm.${kind}.text`)}
    </ConfirmDialog>
  );
}

interface AboutMemberProps {
  kind: MemberDialogKind;
  member: Member;
  onClose: () => void;
}

function AboutMember(props: AboutMemberProps) {
  const group = useGroup(props.member.groupId);
  return group === undefined ? null : <InGroup {...props} group={group} />;
}

function InGroup({
  group,
  kind,
  member,
  onClose,
}: AboutMemberProps & { group: NonNullable<ReturnType<typeof useGroup>> }) {
  const authority = useAuthority(group);
  return <MemberDialogs group={group} dialog={{ kind, member }} authority={authority} onClose={onClose} />;
}
