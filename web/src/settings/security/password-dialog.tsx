import { useTranslation } from "react-i18next";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type TextFieldProps, useForm } from "../../ui/form.tsx";
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
  const form = useForm({
    initial: { password: "" },
    submit: ({ password }) => submit(password),
    ...(saved !== undefined && { saved }),
    onDone: onClose,
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <FormDialog onClose={onClose} title={title} description={text} form={form} action={title} danger={danger}>
      <CurrentPassword autoFocus {...form.field("password")} />
    </FormDialog>
  );
}

export function CurrentPassword(props: Omit<TextFieldProps, "label" | "type" | "after">) {
  const { t } = useTranslation("settings");
  return <PasswordField label={t("account.currentPassword")} autoComplete="current-password" {...props} />;
}
