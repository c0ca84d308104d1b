import type { AuditEntry, Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useUser } from "../../../data/users.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { userName } from "../user-name.ts";
import { AuditChanges } from "./audit-changes.tsx";
import { useTargetNames } from "./use-target-names.ts";

/** One deed as a sentence, with why, and what has changed. */
export function AuditRow({ group, entry }: { group: Group; entry: AuditEntry }) {
  const { t, i18n } = useTranslation("group-settings");
  const { dateTime } = useFormats();
  const actor = useUser(entry.actorId);
  const names = useTargetNames(group, entry);
  const known = i18n.exists(`group-settings:audit.sentence.${entry.action}`);
  const values = { actor: userName(actor), action: entry.action, ...names };
  return (
    <div className="flex gap-3 py-3">
      <Avatar id={entry.actorId} name={actor?.nickname ?? ""} src={actor?.avatarUrl} />
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="wrap-anywhere">
          {known ? t(`audit.sentence.${entry.action}`, values) : t("audit.other", values)}
        </p>
        {entry.reason !== null && (
          <p className="text-sm text-muted">{t("audit.reason", { reason: entry.reason })}</p>
        )}
        <AuditChanges entry={entry} />
        <time dateTime={entry.createdAt} className="text-sm text-muted">
          {dateTime(Date.parse(entry.createdAt))}
        </time>
      </div>
    </div>
  );
}
