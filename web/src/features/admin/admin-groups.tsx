import type { Group } from "@fanfare/contract";
import { Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAdminGroups } from "../../data/admin.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ExportGroup } from "../group-settings/storage/export-group.tsx";
import { DeleteGroupDialog } from "./delete-group-dialog.tsx";
import { GroupRow } from "./group-row.tsx";
import { PagedList } from "./paged-list.tsx";

/** All groups of this instance, newest first. */
export function AdminGroups() {
  const { t } = useTranslation("admin");
  const groups = useAdminGroups();
  const [doomed, setDoomed] = useState<Group | null>(null);
  const [exported, setExported] = useState<Group | null>(null);
  return (
    <>
      <p className="text-muted">{t("groups.hint")}</p>
      <PagedList
        label={t("sections.groups")}
        query={groups}
        empty={<EmptyState icon={Users} title={t("groups.none")} text={t("groups.noneText")} />}
      >
        {(group) => (
          <GroupRow group={group} onExport={() => setExported(group)} onDelete={() => setDoomed(group)} />
        )}
      </PagedList>
      {exported !== null && (
        <Dialog
          open
          onClose={() => setExported(null)}
          title={t("groups.export", { name: exported.name })}
          description={t("groups.exportHint")}
        >
          <ExportGroup group={exported} asAdmin />
        </Dialog>
      )}
      {doomed !== null && <DeleteGroupDialog group={doomed} onClose={() => setDoomed(null)} />}
    </>
  );
}
