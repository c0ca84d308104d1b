import type { Result } from "@fanfare/contract";
import { Download } from "lucide-react";
import { useState, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { encode } from "uqr";
import { useCall } from "../../data/call.ts";
import { CopyButton, CopyField } from "../../shared/copy-field.tsx";
import { saveFile } from "../../shared/download-lines.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField, useForm } from "../../ui/form.tsx";
import { WarnNote } from "../../ui/warn-note.tsx";
import { CurrentPassword } from "./password-dialog.tsx";
import type { OidcProof } from "./use-confirmation.ts";

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
export function TotpSetupDialog({ proof, onClose }: TotpSetupDialogProps) {
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
