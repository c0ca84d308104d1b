import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { channelPath, groupPath } from "../../routes.ts";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";

/** Makes a group and goes to its first channel. */
export function CreateGroupForm({ onDone, wide = false }: { onDone?: () => void; wide?: boolean }) {
  const { t } = useTranslation("home");
  const call = useCall();
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { name: "" },
    submit: async ({ name }) => {
      const { group, channels } = await call("group.create", { name });
      onDone?.();
      const first = channels[0];
      navigate(first === undefined ? groupPath(group.id) : channelPath(group.id, first.id));
    },
  });
  return (
    <Form form={form} action={t("createGroup")} wide={wide}>
      <TextField
        label={t("nameOfGroup")}
        placeholder={t("nameExample")}
        required
        autoFocus
        maxLength={100}
        autoComplete="off"
        {...form.field("name")}
      />
    </Form>
  );
}
