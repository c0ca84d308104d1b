import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { showToast } from "../../ui/toast.tsx";
import { formatBytes } from "../messages/item/format-bytes.ts";
import type { Refusal } from "./uploads.ts";

/** Says which files were not taken, and why. */
export function useRefusals(): (refused: readonly Refusal[]) => void {
  const { t, i18n } = useTranslation("composer");
  return (refused) => {
    const tooMany = refused.filter(({ reason }) => reason === "tooMany");
    if (tooMany.length > 0) {
      showToast({ text: t("upload.tooMany", { count: LIMITS.attachmentsPerMessage }), tone: "danger" });
    }
    for (const refusal of refused) {
      const { name } = refusal.file;
      if (refusal.reason === "empty") showToast({ text: t("upload.empty", { name }), tone: "danger" });
      if (refusal.reason === "tooLarge") {
        const max = formatBytes(refusal.maxBytes, i18n.language);
        showToast({ text: t("upload.nameTooLarge", { name, max }), tone: "danger" });
      }
    }
  };
}
