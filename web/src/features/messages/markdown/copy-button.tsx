import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const CONFIRM_MS = 2000;

export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation("messages");
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  const label = isCopied ? t("markdown.copied") : t("markdown.copyCode");
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" aria-label={label} title={label} onClick={copy}>
      <Icon size={14} aria-hidden="true" />
    </button>
  );
}
