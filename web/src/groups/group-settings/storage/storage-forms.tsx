import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../../data/data-context.ts";
import { DownloadLines, inPieces } from "../../../shared/download-lines.tsx";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useCall } from "../../../data/call.ts";
import { Button } from "../../../ui/button.tsx";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/form.tsx";
import { showToast } from "../../../ui/feedback.tsx";

/** Exports the group as JSON lines, which the command line can import. For the owner or an admin. */
export function ExportGroup({ group, asAdmin = false }: { group: Group; asAdmin?: boolean }) {
  const { t } = useTranslation("group-settings");
  const { client } = useServerCache();
  return (
    <>
      <p className="text-muted">{t("storage.exportText")}</p>
      <DownloadLines
        action={t("storage.exportAction")}
        progress={(lines) => t("storage.exporting", { lines })}
        done={(lines) => t("storage.exported", { lines })}
        fileName={() => `${group.name}.jsonl`}
        read={(signal) => inPieces(client.exportGroup(group.id, { signal, asAdmin }))}
      />
    </>
  );
}

type RetentionChoice = "always" | "days";

/** Asks for confirmation before the retention period is shortened. */
export function RetentionForm({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const [kept, setKept] = useState<RetentionChoice>(group.retentionDays === null ? "always" : "days");
  const [text, setText] = useState(String(group.retentionDays ?? 365));
  const days = kept === "always" ? null : Number(text);
  const isWrong = days !== null && !(Number.isInteger(days) && days >= 1 && days <= LIMITS.retentionMaxDays);
  const save = () =>
    openConfirm({
      title: days === null ? t("storage.keepTitle") : t("storage.removeTitle", { count: days }),
      children: days === null ? t("storage.keepText") : t("storage.removeText"),
      action: t("common:save"),
      danger: days !== null,
      async onConfirm() {
        await call("group.setRetention", { groupId: group.id, days });
        showToast({ text: t("common:saved"), tone: "good" });
      },
    });
  return (
    <>
      <p className="text-muted">{t("storage.retentionText")}</p>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Select
          label={t("storage.kept")}
          value={kept}
          onChange={setKept}
          options={[
            { value: "always", label: t("storage.serverDefault") },
            { value: "days", label: t("storage.forDays") },
          ]}
        />
        {kept === "days" && (
          <TextField
            label={t("storage.days")}
            type="number"
            inputMode="numeric"
            min={1}
            max={LIMITS.retentionMaxDays}
            value={text}
            onChange={setText}
            error={isWrong ? t("storage.daysWrong", { max: LIMITS.retentionMaxDays }) : null}
          />
        )}
      </div>
      <div>
        <Button variant="primary" disabled={isWrong || days === group.retentionDays} onClick={save}>
          {t("common:save")}
        </Button>
      </div>
    </>
  );
}
