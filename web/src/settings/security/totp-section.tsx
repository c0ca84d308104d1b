import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useAction } from "../../shared/use-action.ts";
import { Badge } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ErrorNote, showToast } from "../../ui/feedback.tsx";
import { useForm } from "../../ui/form.tsx";
import { CodeField } from "../../session/account-fields.tsx";
import {
  clearOidcReturn,
  oidcFailure,
  oidcReturn,
  startOidc,
  useOidcProviders,
} from "../../session/oidc.tsx";
import { Section } from "../section.tsx";
import { type OidcProof, TotpSetupDialog } from "./totp-setup-dialog.tsx";
import { CurrentPassword } from "./password-dialog.tsx";

export function TotpSection({ onClose }: { onClose?: () => void }) {
  const { t } = useTranslation("settings");
  const { totpEnabled, hasPassword, oidcProviders } = useMe();
  const provider = useOidcProviders().find(({ id }) => oidcProviders.includes(id));
  const [back] = useState(() => oidcReturn("setUpTotp") ?? oidcReturn("turnOffTotp"));
  const returned = back !== null && "oidcCode" in back ? back : null;
  const [proof, setProof] = useState<OidcProof | null>(
    returned && { oidcCode: returned.oidcCode, verifier: returned.trip.verifier },
  );
  const [open, setOpen] = useState<"setUpTotp" | "turnOffTotp" | null>(() => {
    const purpose = returned?.trip.purpose;
    return purpose === "setUpTotp" || purpose === "turnOffTotp" ? purpose : null;
  });
  const { busy, error, run } = useAction();
  useEffect(clearOidcReturn, []);
  const close = () => {
    setOpen(null);
    // It can only be used once.
    setProof(null);
    onClose?.();
  };
  const begin = (purpose: "setUpTotp" | "turnOffTotp") => {
    if (hasPassword) setOpen(purpose);
    else if (provider !== undefined) void run(() => startOidc(provider.id, { purpose, stay: true }));
  };
  const canConfirm = hasPassword || provider !== undefined;
  return (
    <Section title={t("totp.title")} text={t("totp.text")}>
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={totpEnabled ? "good" : "neutral"}>{totpEnabled ? t("totp.on") : t("totp.off")}</Badge>
        {totpEnabled ? (
          <Button disabled={!canConfirm} busy={busy} onClick={() => begin("turnOffTotp")}>
            {t("totp.turnOff")}
          </Button>
        ) : (
          <Button disabled={!canConfirm} busy={busy} onClick={() => begin("setUpTotp")}>
            {t("totp.setUp")}
          </Button>
        )}
      </div>
      {!hasPassword && (
        <p className="text-sm text-muted">{canConfirm ? t("totp.needsLogin") : t("totp.needsPassword")}</p>
      )}
      <ErrorNote text={error ?? oidcFailure(back)} />
      {open === "setUpTotp" && <TotpSetupDialog proof={proof} onClose={close} />}
      {open === "turnOffTotp" && <TotpOffDialog proof={proof} onClose={close} />}
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
