import { useTranslation } from "react-i18next";
import { useChannels } from "../../data/groups.ts";
import { Select, type SelectProps } from "../../ui/select.tsx";

/** Stands for the server's null in a select. */
export const NO_SECTION = "";

interface SectionSelectProps extends Pick<SelectProps<string>, "value" | "onChange" | "error"> {
  groupId: string;
}

/** Empty for groups without sections. */
export function SectionSelect({ groupId, ...field }: SectionSelectProps) {
  const { t } = useTranslation("channels");
  const sections = useChannels(groupId).data?.filter(({ kind }) => kind === "section") ?? [];
  if (sections.length === 0) return null;
  return (
    <Select
      label={t("create.section")}
      options={[
        { value: NO_SECTION, label: t("create.noSection") },
        ...sections.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      {...field}
    />
  );
}

const SLOW_MODES = [0, 5, 10, 30, 60, 300, 900, 3600, 21_600] as const;

type Unit = "second" | "minute" | "hour";

interface SlowModeSelectProps {
  value: number;
  onChange: (seconds: number) => void;
}

export function SlowModeSelect({ value, onChange }: SlowModeSelectProps) {
  const { t, i18n } = useTranslation("channels");
  // Bots can set other values.
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

/** "10 seconds", localized. */
function durationText(seconds: number, language: string): string {
  const [value, unit]: [number, Unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
