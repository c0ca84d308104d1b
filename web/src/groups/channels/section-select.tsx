import { useTranslation } from "react-i18next";
import { useChannels } from "../../data/groups.ts";
import { Select, type SelectProps } from "../../ui/select.tsx";

/** As a choice; the server says null. */
export const NO_SECTION = "";

interface SectionSelectProps extends Pick<SelectProps<string>, "value" | "onChange" | "error"> {
  groupId: string;
}

/** The section that a channel stands in, where the group has any. */
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
