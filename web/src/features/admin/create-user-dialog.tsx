import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import type { Language } from "../../i18n/language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useForm } from "../../ui/use-form.ts";
import type { PasswordLink } from "./password-link-dialog.tsx";

interface CreateUserDialogProps {
  onClose: () => void;
  /** Shows a link that could not be mailed. */
  onLink: (link: PasswordLink) => void;
}

/** Creates an account, whose owner sets the password by a link. */
export function CreateUserDialog({ onClose, onLink }: CreateUserDialogProps) {
  const { t, i18n } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { username: "", email: "" },
    async submit(values) {
      const [name, email] = [values.username.trim(), values.email.trim()];
      const { link } = await call("admin.createUser", {
        username: name,
        ...(email !== "" && { email }),
        locale: i18n.language as Language,
      });
      onClose();
      if (link === null) showToast({ text: t("createUser.mailed", { email }), tone: "good" });
      else onLink({ name, link });
    },
    fieldOfError: { USERNAME_TAKEN: "username", EMAIL_TAKEN: "email" },
  });
  return (
    <Dialog open onClose={onClose} title={t("createUser.title")} description={t("createUser.text")}>
      <Form form={form} action={t("createUser.action")} disabled={form.values.username.trim() === ""}>
        <TextField
          label={t("createUser.username")}
          required
          autoFocus
          maxLength={LIMITS.usernameMaxChars}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          {...form.field("username")}
        />
        <TextField
          label={t("createUser.email")}
          type="email"
          maxLength={LIMITS.emailMaxChars}
          autoComplete="off"
          {...form.field("email")}
        />
      </Form>
    </Dialog>
  );
}
