import type { AuditEntry } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { bitsBetween, changesOf, PERMISSION_FIELDS } from "./changes.ts";

/** What is different since, field by field. */
export function AuditChanges({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("group-settings");
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  const shown = (field: string, value: string | number | boolean | null): string => {
    if (value === null || value === "") return t("audit.nothing");
    if (field === "onHit") return value === "mask" ? t("filter.mask") : t("filter.block");
    if (typeof value === "boolean") return value ? t("audit.yes") : t("audit.no");
    return String(value);
  };
  const list = (names: readonly string[]) => names.map((name) => t(`permission.${name}`)).join(", ");
  return (
    <ul className="grid gap-0.5 text-sm text-muted">
      {changes.map(({ field, before, after }) => {
        if (!PERMISSION_FIELDS.includes(field)) {
          return (
            <li key={field} className="wrap-anywhere">
              {t(`audit.field.${field}`)}: {shown(field, before)} → {shown(field, after)}
            </li>
          );
        }
        const { added, removed } = bitsBetween(before, after);
        return (
          <li key={field} className="wrap-anywhere">
            {t(`audit.field.${field}`)}: {added.length > 0 && `+ ${list(added)} `}
            {removed.length > 0 && `− ${list(removed)}`}
          </li>
        );
      })}
    </ul>
  );
}
