import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PasswordField } from "../../session/account-fields.tsx";

interface PasswordDialogProps {
  title: string;
  text: string;
  danger?: boolean;
  /** Toast text after a success. */
  saved?: string;
  onClose: () => void;
  submit: (password: string) => Promise<unknown>;
}

/** Requires the password before a way to log in is added or removed. */
export function PasswordDialog({ title, text, danger = false, saved, onClose, submit }: PasswordDialogProps) {
  const { t } = useTranslation("settings");
  const form = useForm({
    initial: { password: "" },
    submit: ({ password }) => submit(password),
    ...(saved !== undefined && { saved }),
    onDone: onClose,
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <Dialog onClose={onClose} title={title} description={text}>
      <Form form={form} action={title} danger={danger}>
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
