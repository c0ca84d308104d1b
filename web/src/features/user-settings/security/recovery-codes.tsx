import { Check, Copy, Download, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../../../shared/copy-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { saveFile } from "../../../shared/save-file.ts";

/** The server tells them once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation("user-settings");
  const [isCopied, setCopied] = useState(false);
  const [isKept, setKept] = useState(false);
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <p className="flex items-start gap-2.5 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
        <TriangleAlert size={18} aria-hidden className="mt-px shrink-0" />
        {t("recovery.text")}
      </p>
      <ul className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md bg-code px-4 py-3 font-mono text-sm select-all">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {window.isSecureContext && (
          <Button
            icon={isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
            onClick={() => void copyText(text).then(setCopied)}
          >
            {isCopied ? t("shared:copied") : t("shared:copy")}
          </Button>
        )}
        <Button
          icon={<Download size={16} aria-hidden />}
          onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "fanfare-recovery-codes.txt")}
        >
          {t("recovery.download")}
        </Button>
      </div>
      <Checkbox label={t("recovery.kept")} checked={isKept} onChange={setKept} />
      <Button variant="primary" wide disabled={!isKept} onClick={onDone}>
        {t("done")}
      </Button>
    </>
  );
}
