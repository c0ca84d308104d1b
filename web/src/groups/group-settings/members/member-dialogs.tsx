import type { Group, Member } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { canGrant } from "@fanfare/contract/permissions";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useMember, useNickname } from "../../../data/members.ts";
import { useRoles } from "../../../data/groups.ts";
import { useUser } from "../../../data/people.ts";
import { groupSettingsPath } from "../../../routes.ts";
import { useSave } from "../../../shared/use-action.ts";
import { useFormats } from "../../../shared/formats.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { NumberSelect } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/form.tsx";
import { RoleName, useAuthority, type MemberDialogKind } from "../authority.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { NicknameDialog } from "./nickname-dialog.tsx";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DURATIONS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS];

interface MemberDialogsProps {
  kind: MemberDialogKind;
  group: Group;
  member: Member;
  onClose: () => void;
}

export function MemberDialogs({ kind, group, member, onClose }: MemberDialogsProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const user = useUser(member.userId);
  const name = userName(user, useNickname(group.id, member.userId));
  if (kind === "roles") {
    return <MemberRolesDialog group={group} userId={member.userId} name={name} onClose={onClose} />;
  }
  if (kind === "nickname") {
    return <NicknameDialog member={member} user={user} onClose={onClose} />;
  }
  if (kind === "transfer") {
    return (
      <ConfirmDialog
        danger
        onClose={onClose}
        title={t("danger.transferTitle", { group: group.name, name })}
        action={t("groups:danger.transfer")}
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

interface MemberRolesDialogProps {
  group: Group;
  userId: string;
  name: string;
  onClose: () => void;
}

/** Each choice is saved at once. Roles that the user can't assign are shown disabled. */
function MemberRolesDialog({ group, userId, name, onClose }: MemberRolesDialogProps) {
  const { t } = useTranslation("group-settings");
  const authority = useAuthority(group);
  const { data: roles } = useRoles(group.id);
  const currentRoleIds = useMember(group.id, userId).data?.roleIds ?? [];
  const call = useCall();
  const { error, save } = useSave();
  return (
    <Dialog onClose={onClose} size="sm" title={t("members.rolesOf", { name })}>
      {roles?.length === 0 && (
        <p className="text-muted">
          {t("members.noRoles")}{" "}
          <Link
            href={groupSettingsPath(group.id, "roles")}
            className="font-medium text-accent-text underline"
          >
            {t("members.createRole")}
          </Link>
        </p>
      )}
      {roles?.map((role) => {
        const isAbove = !authority.canManageRole(role);
        const lacks = !canGrant(authority.permissions, role.permissions);
        return (
          <Checkbox
            key={role.id}
            label={<RoleName role={role} />}
            hint={isAbove ? t("roles.tooHigh") : lacks ? t("roles.cannotAssign") : undefined}
            checked={currentRoleIds.includes(role.id)}
            disabled={isAbove || lacks}
            onChange={(isOn) =>
              save(() =>
                call(isOn ? "role.assign" : "role.unassign", {
                  groupId: group.id,
                  userId,
                  roleId: role.id,
                }),
              )
            }
          />
        );
      })}
      <ErrorNote text={error} />
    </Dialog>
  );
}

type Moderation = "mute" | "kick" | "ban";

interface ModerateDialogProps {
  kind: Moderation;
  groupId: string;
  userId: string;
  name: string;
  /** Called after a success, before the dialog closes. */
  onDone?: () => Promise<unknown>;
  onClose: () => void;
}

export function ModerateDialog({ kind, groupId, userId, name, onDone, onClose }: ModerateDialogProps) {
  const { t } = useTranslation("group-settings");
  const { duration } = useFormats();
  const call = useCall();
  const [reason, setReason] = useState("");
  const [durationMs, setDurationMs] = useState(HOUR_MS);
  const confirm = async () => {
    const about = { groupId, userId, ...(reason.trim() !== "" && { reason }) };
    if (kind === "mute") await call("group.mute", { ...about, durationMs });
    else await call(kind === "kick" ? "group.kick" : "group.ban", about);
    await onDone?.();
  };
  return (
    <ConfirmDialog
      onClose={onClose}
      danger={kind !== "mute"}
      title={t(`moderate.${kind}.title`, { name })}
      action={t(`groups:moderate.${kind}.action`)}
      onConfirm={confirm}
    >
      <div className="grid gap-4">
        <p>{t(`moderate.${kind}.text`)}</p>
        <div className="grid gap-4 text-text">
          {kind === "mute" && (
            <NumberSelect
              label={t("moderate.duration")}
              value={durationMs}
              onChange={setDurationMs}
              choices={DURATIONS_MS}
              textOf={duration}
            />
          )}
          <TextField
            label={t("moderate.reason")}
            hint={t("moderate.reasonHint")}
            maxLength={LIMITS.reasonMaxChars}
            value={reason}
            onChange={setReason}
          />
        </div>
      </div>
    </ConfirmDialog>
  );
}
