import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useUser } from "../../../data/users.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import type { OwnAuthority } from "../use-authority.ts";
import { userName } from "../user-name.ts";
import type { MemberDialog } from "./member-dialog.ts";
import { MemberRolesDialog } from "./member-roles-dialog.tsx";
import { ModerateDialog } from "./moderate-dialog.tsx";

interface MemberDialogsProps {
  group: Group;
  dialog: MemberDialog;
  authority: OwnAuthority;
  onClose: () => void;
}

export function MemberDialogs({ group, dialog: { kind, member }, authority, onClose }: MemberDialogsProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const name = userName(useUser(member.userId));
  if (kind === "roles") {
    return (
      <MemberRolesDialog
        group={group}
        userId={member.userId}
        name={name}
        authority={authority}
        onClose={onClose}
      />
    );
  }
  if (kind === "transfer") {
    return (
      <ConfirmDialog
        open
        danger
        onClose={onClose}
        title={t("danger.transferTitle", { group: group.name, name })}
        action={t("danger.transferAction")}
        onConfirm={() => call("group.transfer", { groupId: group.id, userId: member.userId })}
      >
        {t("danger.transferConfirm")}
      </ConfirmDialog>
    );
  }
  return (
    <ModerateDialog kind={kind} groupId={group.id} userId={member.userId} name={name} onClose={onClose} />
  );
}
