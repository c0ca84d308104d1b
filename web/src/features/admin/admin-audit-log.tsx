import { ScrollText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAdminAuditLog } from "../../data/admin.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AuditEntryRow } from "./audit-entry-row.tsx";
import { PagedList } from "./paged-list.tsx";

/** What admins have done, newest first. */
export function AdminAuditLog() {
  const { t } = useTranslation("admin");
  const entries = useAdminAuditLog();
  return (
    <>
      <p className="text-muted">{t("audit.hint")}</p>
      <PagedList
        label={t("sections.auditLog")}
        query={entries}
        empty={<EmptyState icon={ScrollText} title={t("audit.none")} text={t("audit.noneText")} />}
      >
        {(entry) => <AuditEntryRow entry={entry} />}
      </PagedList>
    </>
  );
}
