import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { Badge } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ErrorNote, showToast } from "../../ui/feedback.tsx";
import { useForm } from "../../ui/form.tsx";
import { CodeField } from "../../session/account-fields.tsx";
import { Section } from "../section.tsx";
import { TotpSetupDialog } from "./totp-setup-dialog.tsx";
import { CurrentPassword } from "./password-dialog.tsx";
import { type OidcProof, useConfirmation } from "./use-confirmation.ts";

export function TotpSection({ onClose }: { onClose?: () => void }) {
  const { t } = useTranslation("settings");
  const { totpEnabled } = useMe();
  const { open, proof, busy, ask, close, hint, error } = useConfirmation(["setUpTotp", "turnOffTotp"]);
  const onDone = () => {
    close();
    onClose?.();
  };
  return (
    <Section title={t("totp.title")} text={t("totp.text")}>
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={totpEnabled ? "good" : "neutral"}>{totpEnabled ? t("totp.on") : t("totp.off")}</Badge>
        {totpEnabled ? (
          <Button disabled={ask === null} busy={busy} onClick={() => ask?.("turnOffTotp")}>
            {t("totp.turnOff")}
          </Button>
        ) : (
          <Button disabled={ask === null} busy={busy} onClick={() => ask?.("setUpTotp")}>
            {t("totp.setUp")}
          </Button>
        )}
      </div>
      {hint !== null && <p className="text-sm text-muted">{hint}</p>}
      <ErrorNote text={error} />
      {open === "setUpTotp" && <TotpSetupDialog proof={proof} onClose={onDone} />}
      {open === "turnOffTotp" && <TotpOffDialog proof={proof} onClose={onDone} />}
    </Section>
  );
}

interface TotpOffDialogProps {
  /** null asks for the password. */
  proof: OidcProof | null;
  onClose: () => void;
}

function TotpOffDialog({ proof, onClose }: TotpOffDialogProps) {
  const { t } = useTranslation("settings");
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
    <FormDialog
      onClose={onClose}
      title={t("totp.turnOff")}
      description={t("totp.turnOffText")}
      form={form}
      action={t("totp.turnOff")}
    >
      {proof === null && <CurrentPassword autoFocus {...form.field("password")} />}
      <CodeField autoFocus={proof !== null} {...form.field("code")} />
    </FormDialog>
  );
}
