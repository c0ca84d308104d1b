import type { Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";

/** Gives a conversation of several a name; without one it has those of the people. */
export function RenameDirectDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const form = useForm({
    initial: { name: channel.name },
    async submit({ name }) {
      const wanted = name.trim() === "" ? null : name.trim();
      await call("channel.renameDirect", { channelId: channel.id, name: wanted });
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("rename.title")} size="sm">
      <Form form={form} action={t("rename.action")} disabled={!form.changed}>
        <TextField
          label={t("create.name")}
          hint={t("create.nameHint")}
          maxLength={LIMITS.channelNameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}
