import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/text-field.tsx";

interface CopyFieldProps {
  label: string;
  /** Empty until it is known. */
  value: string;
}

const SHOWN_MS = 3000;

/** A text that is to be copied. Without https a browser has no clipboard for pages: then it can be selected. */
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
            icon={isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
            onClick={() => void copy()}
          >
            {isCopied ? t("copied") : t("copy")}
          </Button>
        )
      }
    />
  );
}

/** Puts a text on the clipboard. False where the browser has none for pages, as without https, or does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
