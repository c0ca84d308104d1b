import type { Group } from "@fanfare/contract";
import { Users, Download, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAdminGroups } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useUser } from "../data/people.ts";
import { formatTime } from "../shared/times.ts";
import { Avatar } from "../ui/display.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { EmptyState } from "../ui/feedback.tsx";
import { TextField, useForm } from "../ui/form.tsx";
import { ExportGroup } from "../groups/group-settings/storage/storage-part.tsx";
import { AdminList, ReasonField } from "./admin-parts.tsx";
import { dotted } from "../shared/formats.ts";

export function AdminGroups() {
  const { t } = useTranslation("admin");
  const groups = useAdminGroups();
  return (
    <AdminList
      hint={t("groups.hint")}
      label={t("common:groups")}
      pages={groups}
      empty={<EmptyState icon={Users} title={t("groups.none")} text={t("groups.noneText")} />}
    >
      {(group) => <GroupRow key={group.id} group={group} />}
    </AdminList>
  );
}

interface GroupDialogProps {
  group: Group;
  onClose: () => void;
}

function ExportDialog({ group, onClose }: GroupDialogProps) {
  const { t } = useTranslation("admin");
  return (
    <Dialog
      onClose={onClose}
      title={t("groups.export", { name: group.name })}
      description={t("groups.exportHint")}
    >
      <ExportGroup group={group} asAdmin />
    </Dialog>
  );
}

function DeleteGroupDialog({ group, onClose }: GroupDialogProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { name: "", reason: "" },
    async submit({ reason }) {
      const given = reason.trim();
      await call("admin.deleteGroup", { groupId: group.id, ...(given !== "" && { reason: given }) });
    },
    saved: t("groups.delete.done", { name: group.name }),
    onDone: onClose,
  });
  const isTyped = form.values.name.trim() === group.name.trim();
  return (
    <FormDialog
      onClose={onClose}
      title={t("groups.delete.title", { name: group.name })}
      danger
      form={form}
      action={t("groups.delete.action")}
      more={<Button onClick={onClose}>{t("ui:cancel")}</Button>}
      disabled={!isTyped}
    >
      <p className="text-muted">{t("groups.delete.text", { count: group.memberCount })}</p>
      <TextField
        label={t("groups.delete.typeName", { name: group.name })}
        spellCheck={false}
        {...form.field("name")}
      />
      <ReasonField value={form.values.reason} onChange={(reason) => form.set("reason", reason)} />
    </FormDialog>
  );
}

function GroupRow({ group }: { group: Group }) {
  const { t } = useTranslation("admin");
  const owner = useUser(group.ownerId);
  const known = [
    t("session:memberCount", { count: group.memberCount }),
    owner === undefined ? null : t("groups.owner", { name: owner.nickname }),
    formatTime(group.createdAt, "date"),
  ];
  return (
    <ListRow
      leading={<Avatar name={group.name} id={group.id} src={group.iconUrl} shape="square" />}
      title={group.name}
      subtitle={dotted(known)}
      trailing={
        <>
          <IconButton
            icon={Download}
            label={t("groups.export", { name: group.name })}
            tooltipSide="left"
            onClick={() => openDialog((onClose) => <ExportDialog group={group} onClose={onClose} />)}
          />
          <IconButton
            icon={Trash2}
            label={t("groups.delete.of", { name: group.name })}
            variant="danger"
            tooltipSide="left"
            onClick={() => openDialog((onClose) => <DeleteGroupDialog group={group} onClose={onClose} />)}
          />
        </>
      }
    />
  );
}
