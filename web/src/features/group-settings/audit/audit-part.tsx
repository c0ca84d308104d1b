import type { Group } from "@fanfare/contract";
import { ClipboardList } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AUDITED_ACTIONS } from "../../../data/manifest.ts";
import { useAuditLog } from "../../../data/moderation.ts";
import { errorText } from "../../../shared/error-text.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Select } from "../../../ui/select.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { MemberPicker } from "../member-picker.tsx";
import { MoreButton } from "../more-button.tsx";
import { AuditRow } from "./audit-row.tsx";

const ANY = "";

/** Who has done what in the group, newest first. */
export function AuditPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const [action, setAction] = useState(ANY);
  const [actorIds, setActorIds] = useState<string[]>([]);
  const [actorId] = actorIds;
  const log = useAuditLog(group.id, {
    ...(action !== ANY && { action }),
    ...(actorId !== undefined && { actorId }),
  });
  return (
    <div className="grid max-w-3xl gap-5">
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Select
          label={t("audit.filterAction")}
          value={action}
          onChange={setAction}
          options={[
            { value: ANY, label: t("audit.anyAction") },
            ...AUDITED_ACTIONS.map((name) => ({ value: name as string, label: t(`audit.short.${name}`) })),
          ]}
        />
        <MemberPicker
          groupId={group.id}
          label={t("audit.filterActor")}
          value={actorIds}
          onChange={setActorIds}
          max={1}
        />
      </div>
      {log.data === undefined && log.error === null && <SkeletonRows count={8} withAvatar />}
      {log.data === undefined && log.error !== null && (
        <ErrorNote text={errorText(log.error)} onRetry={() => void log.refetch()} />
      )}
      {log.data?.length === 0 && (
        <EmptyState icon={ClipboardList} title={t("audit.none")} text={t("audit.noneText")} />
      )}
      {log.data !== undefined && log.data.length > 0 && (
        <ol className="grid">
          {log.data.map((entry) => (
            <li key={entry.id} className="border-b border-line last:border-0">
              <AuditRow group={group} entry={entry} />
            </li>
          ))}
        </ol>
      )}
      <MoreButton pages={log} />
    </div>
  );
}
