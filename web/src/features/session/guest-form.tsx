import { useTranslation } from "react-i18next";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { logIn } from "./session-store.ts";

/** In with one click; a name is welcome. */
export function GuestForm({ label }: { label: string }) {
  const { t } = useTranslation("session");
  const form = useForm({
    initial: { nickname: "" },
    submit: ({ nickname }) => {
      const name = nickname.trim();
      return logIn((client) => client.createGuest(name === "" ? {} : { nickname: name }));
    },
  });
  return (
    <Form form={form} action={label} wide>
      <TextField
        label={t("yourName")}
        name="nickname"
        maxLength={32}
        autoComplete="nickname"
        {...form.field("nickname")}
      />
    </Form>
  );
}
