import { useTranslation } from "react-i18next";
import { Select } from "../../ui/select.tsx";
import { durationText, SLOW_MODES } from "./slow-modes.ts";

interface SlowModeSelectProps {
  /** Seconds. */
  value: number;
  onChange: (seconds: number) => void;
}

export function SlowModeSelect({ value, onChange }: SlowModeSelectProps) {
  const { t, i18n } = useTranslation("channels");
  // A bot may have set any number.
  const choices = [...new Set([...SLOW_MODES, value])].toSorted((a, b) => a - b);
  return (
    <Select
      label={t("slowMode.label")}
      hint={t("slowMode.hint")}
      value={String(value)}
      onChange={(next) => onChange(Number(next))}
      options={choices.map((seconds) => ({
        value: String(seconds),
        label: seconds === 0 ? t("slowMode.off") : durationText(seconds, i18n.language),
      }))}
    />
  );
}
