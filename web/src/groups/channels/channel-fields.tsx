import { useTranslation } from "react-i18next";
import { useChannels } from "../../data/groups.ts";
import { useFormats } from "../../shared/formats.ts";
import { NumberSelect, type NumberSelectProps, Select, type SelectProps } from "../../ui/select.tsx";

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

const SLOW_MODES = [0, 5, 10, 30, 60, 300, 900, 3600, 21_600];

type SlowModeSelectProps = Pick<NumberSelectProps, "value" | "onChange">;

export function SlowModeSelect(field: SlowModeSelectProps) {
  const { t } = useTranslation("channels");
  const { wholeDuration } = useFormats();
  return (
    <NumberSelect
      label={t("slowMode.label")}
      hint={t("slowMode.hint")}
      choices={SLOW_MODES}
      textOf={(seconds) => (seconds === 0 ? t("slowMode.off") : wholeDuration(seconds * 1000))}
      {...field}
    />
  );
}
