import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { TextField } from "../ui/form.tsx";

export function ReasonField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation("admin");
  return (
    <TextField
      label={t("reason")}
      hint={t("reasonHint")}
      maxLength={LIMITS.reasonMaxChars}
      value={value}
      onChange={onChange}
    />
  );
}
