import type { Result } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { CopyField } from "../../../shared/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { PasswordField } from "../../session/password-field.tsx";
import type { OidcProof } from "./oidc-proof.ts";
import { QrCode } from "./qr-code.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Secret = Result<"user.setupTotp">;

interface TotpSetupDialogProps {
  /** null: the password is asked for. */
  proof: OidcProof | null;
  onClose: () => void;
}

/** Password, then the secret and a first code of it, then the recovery codes, which are shown this once. */
export function TotpSetupDialog({ proof, onClose }: TotpSetupDialogProps) {
  const { t } = useTranslation("user-settings");
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Dialog open onClose={onClose} title={codes === null ? t("totp.setUp") : t("recovery.title")}>
      {codes !== null ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : secret === null ? (
        <PasswordStep proof={proof} onSecret={setSecret} />
      ) : (
        <CodeStep secret={secret} onCodes={setCodes} />
      )}
    </Dialog>
  );
}

interface PasswordStepProps {
  proof: OidcProof | null;
  onSecret: (secret: Secret) => void;
}

function PasswordStep({ proof, onSecret }: PasswordStepProps) {
  const { t } = useTranslation("user-settings");
  const call = useCall();
  const form = useForm({
    initial: { password: "" },
    submit: async (values) => onSecret(await call("user.setupTotp", proof ?? values)),
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <Form form={form} action={t("next")}>
      {proof === null ? (
        <PasswordField
          label={t("account.currentPassword")}
          autoFocus
          autoComplete="current-password"
          {...form.field("password")}
        />
      ) : (
        <p>{t("totp.confirmed")}</p>
      )}
    </Form>
  );
}

function CodeStep({ secret, onCodes }: { secret: Secret; onCodes: (codes: string[]) => void }) {
  const { t } = useTranslation("user-settings");
  const call = useCall();
  const form = useForm({
    initial: { code: "" },
    async submit({ code }) {
      const { recoveryCodes } = await call("user.enableTotp", { code: code.trim() });
      onCodes(recoveryCodes);
    },
    fieldOfError: { WRONG_CODE: "code" },
  });
  return (
    <>
      <p>{t("totp.scan")}</p>
      <QrCode text={secret.uri} label={t("totp.qrCode")} />
      <CopyField label={t("totp.secret")} value={secret.secret} />
      <Form form={form} action={t("totp.turnOn")}>
        <TextField
          label={t("session:code.app")}
          hint={t("totp.codeHint")}
          required
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          className="text-lg tracking-widest tabular-nums"
          {...form.field("code")}
        />
      </Form>
    </>
  );
}
