import { Check, Copy, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { showToast } from "../ui/feedback.tsx";
import { TextField } from "../ui/form.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface CopyFieldProps {
  label: string;
  /** Empty while loading. */
  value: string;
}

const SHOWN_MS = 3000;

/** A text with a copy button. Pages without https have no clipboard access; then the text can be selected. */
export function CopyField({ label, value }: CopyFieldProps) {
  const { t } = useTranslation("shared");
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(value));
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <TextField
      label={label}
      value={value}
      readOnly
      placeholder="…"
      spellCheck={false}
      onFocus={(event) => event.target.select()}
      after={
        window.isSecureContext && (
          <Button
            variant="primary"
            disabled={value === ""}
            icon={isCopied ? Check : Copy}
            onClick={() => void copy()}
          >
            {isCopied ? t("copied") : t("copy")}
          </Button>
        )
      }
    />
  );
}

/** Returns false if the browser doesn't allow clipboard access, as on pages without https. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text and says so in a toast. Where that isn't possible, the toast has the text to select, or `failed`. */
export async function copyAndSay(text: string, done: string, failed = text): Promise<void> {
  showToast((await copyText(text)) ? { text: done, tone: "good" } : { text: failed });
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
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("group-settings:secretDone")}
        </Button>
      }
    >
      <p className="flex items-start gap-2.5 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
        <TriangleAlert size={18} aria-hidden className="mt-px shrink-0" />
        {text}
      </p>
      <CopyField label={label} value={secret} />
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
    </Dialog>
  );
}
