import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useForm } from "../../ui/use-form.ts";
import { ReasonField } from "./reason-field.tsx";

/** Deletes a group for ever, once its name was typed. */
export function DeleteGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { name: "", reason: "" },
    async submit({ reason }) {
      const given = reason.trim();
      await call("admin.deleteGroup", { groupId: group.id, ...(given !== "" && { reason: given }) });
      showToast({ text: t("groups.delete.done", { name: group.name }), tone: "good" });
      onClose();
    },
  });
  const isTyped = form.values.name.trim() === group.name.trim();
  return (
    <Dialog open onClose={onClose} title={t("groups.delete.title", { name: group.name })}>
      <form onSubmit={form.onSubmit} className="grid gap-4">
        <p className="text-muted">{t("groups.delete.text", { count: group.memberCount })}</p>
        <TextField
          label={t("groups.delete.typeName", { name: group.name })}
          autoComplete="off"
          spellCheck={false}
          {...form.field("name")}
        />
        <ReasonField value={form.values.reason} onChange={(reason) => form.set("reason", reason)} />
        <ErrorNote text={form.error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" variant="danger" busy={form.busy} disabled={!isTyped}>
            {t("groups.delete.action")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
