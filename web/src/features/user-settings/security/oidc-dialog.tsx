import { useTranslation } from "react-i18next";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { PasswordField } from "../../session/password-field.tsx";

interface OidcDialogProps {
  title: string;
  text: string;
  onClose: () => void;
  submit: (password: string) => Promise<unknown>;
}

/** Asks for the password before a way into the account is added or taken away. */
export function OidcDialog({ title, text, onClose, submit }: OidcDialogProps) {
  const { t } = useTranslation("user-settings");
  const form = useForm({
    initial: { password: "" },
    async submit({ password }) {
      await submit(password);
      onClose();
    },
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <Dialog open onClose={onClose} title={title} description={text}>
      <Form form={form} action={title}>
        <PasswordField
          label={t("account.currentPassword")}
          autoFocus
          autoComplete="current-password"
          {...form.field("password")}
        />
      </Form>
    </Dialog>
  );
}
