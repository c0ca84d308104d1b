import { useTranslation } from "react-i18next";
import type { Result } from "@fanfare/contract";
import { Download, LogOut } from "lucide-react";
import { useState, useMemo } from "react";
import { encode } from "uqr";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { Badge } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ErrorNote, showToast } from "../../ui/feedback.tsx";
import { useForm, Form, TextField } from "../../ui/form.tsx";
import { CodeField } from "../../session/account-fields.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { CurrentPassword, type OidcProof, useConfirmation } from "./confirmation.tsx";
import { CopyButton, CopyField } from "../../shared/copy-field.tsx";
import { saveFile } from "../../shared/download-lines.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { WarnNote } from "../../ui/warn-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { LoginLayout, LoginTitle } from "../../session/login-layout.tsx";
import { continueSession, logOut } from "../../session/session-store.ts";

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

const SIZE_PX = 208;

/** Scanners need a quiet zone of four modules. */
const BORDER = 4;

type Secret = Result<"user.setupTotp">;

interface TotpSetupDialogProps {
  /** null asks for the password. */
  proof: OidcProof | null;
  onClose: () => void;
}

/** Asks for the password, shows the secret, checks a first code, then shows the recovery codes once. */
function TotpSetupDialog({ proof, onClose }: TotpSetupDialogProps) {
  const { t } = useTranslation("settings");
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Dialog
      onClose={onClose}
      title={codes === null ? t("totp.setUp") : t("recovery.title")}
      isOnce={codes !== null}
    >
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
  const { t } = useTranslation("settings");
  const call = useCall();
  const form = useForm({
    initial: { password: "" },
    submit: async (values) => onSecret(await call("user.setupTotp", proof ?? values)),
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <Form form={form} action={t("next")}>
      {proof === null ? (
        <CurrentPassword autoFocus {...form.field("password")} />
      ) : (
        <p>{t("totp.confirmed")}</p>
      )}
    </Form>
  );
}

function CodeStep({ secret, onCodes }: { secret: Secret; onCodes: (codes: string[]) => void }) {
  const { t } = useTranslation("settings");
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
      <Form form={form} action={t("common:turnOn")}>
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

/** Dark on light in both themes, because some scanners can't read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={SIZE_PX}
      height={SIZE_PX}
      shapeRendering="crispEdges"
      className="mx-auto rounded-md border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: "M", border: BORDER });
  const parts: string[] = [];
  data.forEach((row, y) => {
    row.forEach((isDark, x) => {
      if (isDark) parts.push(`M${x} ${y}h1v1h-1z`);
    });
  });
  return { size, path: parts.join("") };
}

/** The server shows them only once. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation("settings");
  const [isKept, setKept] = useState(false);
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <WarnNote>{t("recovery.text")}</WarnNote>
      <ul className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md bg-code px-4 py-3 font-mono text-sm select-all">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} />
        <Button
          icon={Download}
          onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "fanfare-recovery-codes.txt")}
        >
          {t("recovery.download")}
        </Button>
      </div>
      <Checkbox label={t("recovery.saved")} checked={isKept} onChange={setKept} />
      <Button variant="primary" wide disabled={!isKept} onClick={onDone}>
        {t("done")}
      </Button>
    </>
  );
}

/** Shown instead of the application while a required second factor is missing. */
export function SecondFactorPage() {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { error, run } = useAction();
  const proceed = async () => {
    if ((await call("user.me", {})).user.totpEnabled) continueSession();
  };
  return (
    <LoginLayout>
      <LoginTitle title={t("totp.requiredTitle")} text={t("totp.requiredText")} />
      <TotpSection onClose={() => void run(proceed)} />
      <ErrorNote text={error} />
      <div>
        <Button variant="ghost" icon={LogOut} onClick={() => void logOut()}>
          {t("shell:logOut")}
        </Button>
      </div>
    </LoginLayout>
  );
}
