import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCanInGroup } from "../../../data/permissions.ts";
import { ExportGroup } from "./export-group.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { Usage } from "./usage.tsx";

/** How much room the files take, how long messages are kept, and all of the group as a file. */
export function StoragePart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const isOwner = useCanInGroup(group.id, "ownGroup");
  return (
    <div className="grid max-w-xl gap-8">
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("storage.usage")}</h2>
        <Usage groupId={group.id} />
      </section>
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("storage.retention")}</h2>
        <RetentionForm group={group} />
      </section>
      {isOwner && (
        <section className="grid gap-3">
          <h2 className="text-lg font-semibold">{t("storage.export")}</h2>
          <ExportGroup group={group} />
        </section>
      )}
    </div>
  );
}
