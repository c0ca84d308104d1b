import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { TextField } from "../ui/form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { WarnNote } from "../ui/warn-note.tsx";
import { useCopy } from "./copy.ts";

interface CopyFieldProps {
  label: string;
  /** Empty while loading. */
  value: string;
}

/** A text with a copy button. */
export function CopyField({ label, value }: CopyFieldProps) {
  return (
    <TextField
      label={label}
      value={value}
      readOnly
      placeholder="…"
      spellCheck={false}
      onFocus={(event) => event.target.select()}
      after={<CopyButton text={value} variant="primary" />}
    />
  );
}

/** Not on pages without https, which have no clipboard access: there the text can be selected. */
export function CopyButton({ text, variant }: { text: string } & Pick<ButtonProps, "variant">) {
  const { t } = useTranslation("shared");
  const { isCopied, copy } = useCopy(text);
  if (!window.isSecureContext) return null;
  return (
    <Button
      {...(variant && { variant })}
      disabled={text === ""}
      icon={isCopied ? Check : Copy}
      onClick={copy}
    >
      {isCopied ? t("copied") : t("copy")}
    </Button>
  );
}

interface SecretDialogProps {
  title: string;
  /** What the secret is for. */
  text: string;
  label: string;
  secret: string;
  /** Below the secret. */
  hint?: string;
  onClose: () => void;
}

/** Shows a secret that the server returns only once. */
export function SecretDialog({ title, text, label, secret, hint, onClose }: SecretDialogProps) {
  const { t } = useTranslation("shared");
  return (
    <Dialog
      onClose={onClose}
      isOnce
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("secretDone")}
        </Button>
      }
    >
      <WarnNote>{text}</WarnNote>
      <CopyField label={label} value={secret} />
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
    </Dialog>
  );
}
