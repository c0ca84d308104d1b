import type { Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";

interface SectionDialogProps {
  groupId: string;
  /** The one to rename; a new one without it. */
  section?: Channel;
  onClose: () => void;
}

/** The name of a section. */
export function SectionDialog({ groupId, section, onClose }: SectionDialogProps) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const form = useForm({
    initial: { name: section?.name ?? "" },
    async submit({ name }) {
      if (section === undefined) await call("channel.create", { groupId, name, kind: "section" });
      else await call("channel.update", { channelId: section.id, name });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={section === undefined ? t("section.create") : t("section.rename")}
    >
      <Form
        form={form}
        action={section === undefined ? t("section.createAction") : t("save")}
        disabled={form.values.name.trim() === ""}
      >
        <TextField
          label={t("section.name")}
          hint={section === undefined ? t("section.hint") : undefined}
          required
          autoFocus
          maxLength={LIMITS.channelNameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}
