import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { CodeField } from "../../session/code-field.tsx";
import { PasswordField } from "../../session/password-field.tsx";
import type { OidcProof } from "./oidc-proof.ts";

interface TotpOffDialogProps {
  /** null: the password is asked for. */
  proof: OidcProof | null;
  onClose: () => void;
}

export function TotpOffDialog({ proof, onClose }: TotpOffDialogProps) {
  const { t } = useTranslation("user-settings");
  const call = useCall();
  const form = useForm({
    initial: { password: "", code: "" },
    async submit({ password, code }) {
      await call("user.disableTotp", { ...(proof ?? { password }), code: code.trim() });
      showToast({ text: t("totp.isOff") });
      onClose();
    },
    fieldOfError: { WRONG_CREDENTIALS: "password", WRONG_CODE: "code" },
  });
  return (
    <Dialog open onClose={onClose} title={t("totp.turnOff")} description={t("totp.turnOffText")}>
      <Form form={form} action={t("totp.turnOff")}>
        {proof === null && (
          <PasswordField
            label={t("account.currentPassword")}
            autoFocus
            autoComplete="current-password"
            {...form.field("password")}
          />
        )}
        <CodeField autoFocus={proof !== null} {...form.field("code")} />
      </Form>
    </Dialog>
  );
}
