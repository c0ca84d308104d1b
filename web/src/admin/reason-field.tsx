import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { TextField } from "../ui/form.tsx";

interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  required?: boolean;
}

export function ReasonField({ required = false, ...field }: ReasonFieldProps) {
  const { t } = useTranslation("admin");
  return (
    <TextField
      label={required ? t("holds.reason") : t("reason")}
      hint={t("reasonHint")}
      required={required}
      maxLength={LIMITS.reasonMaxChars}
      {...field}
    />
  );
}
