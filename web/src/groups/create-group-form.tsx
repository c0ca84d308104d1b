import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { uploadPicture } from "../data/files.ts";
import { channelPath, groupPath } from "../routes.ts";
import { errorText } from "../shared/use-action.ts";
import { Form } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast.tsx";
import { useForm } from "../ui/use-form.ts";
import { GroupIconField } from "./group-icon-field.tsx";
import { offerInvite } from "./new-group.ts";

/** Name and picture of a new group; goes there, where an invite link waits. */
export function CreateGroupForm({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation("groups");
  const cache = useServerCache();
  const call = useCall();
  const [, navigate] = useLocation();
  const [icon, setIcon] = useState<File | null>(null);
  const form = useForm({
    initial: { name: "" },
    async submit({ name }) {
      const { group, channels } = await call("group.create", { name });
      if (icon !== null) await setGroupIcon(group.id, icon);
      offerInvite(group.id);
      onDone?.();
      const first = channels.find(({ kind }) => kind === "text");
      navigate(first === undefined ? groupPath(group.id) : channelPath(group.id, first.id));
    },
  });
  /** The group is there whatever becomes of its picture. */
  const setGroupIcon = async (groupId: string, file: File): Promise<void> => {
    try {
      const { fileId } = await uploadPicture(cache, file);
      await call("group.setIcon", { groupId, fileId });
    } catch (error) {
      showToast({ text: `${t("icon.failed")} ${errorText(error)}`, tone: "danger" });
    }
  };
  return (
    <Form form={form} action={t("create.action")} disabled={form.values.name.trim() === ""}>
      <GroupIconField name={form.values.name} id="new" iconUrl={null} file={icon} onChoose={setIcon} />
      <TextField
        label={t("create.name")}
        required
        autoFocus
        maxLength={LIMITS.groupNameMaxChars}
        autoComplete="off"
        {...form.field("name")}
      />
    </Form>
  );
}
