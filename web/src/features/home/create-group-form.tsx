import { useTranslation } from "react-i18next";
import { channelPath, groupPath, navigate } from "../../shared/route.ts";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { useClient } from "../session/client-context.ts";

/** Makes a group and goes to its first channel. */
export function CreateGroupForm({ onDone, wide = false }: { onDone?: () => void; wide?: boolean }) {
  const { t } = useTranslation("home");
  const client = useClient();
  const form = useForm({
    initial: { name: "" },
    submit: async ({ name }) => {
      const { group, channels } = await client.call("group.create", { name });
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
