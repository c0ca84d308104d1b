import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useServerCache, ON_OPEN, useActionQuery } from "../../../data/data-context.ts";
import { DownloadLines, inPieces } from "../../../shared/download-lines.tsx";
import { useCall } from "../../../data/call.ts";
import { Button } from "../../../ui/button.tsx";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/form.tsx";
import { showToast, Skeleton, Pending } from "../../../ui/feedback.tsx";
import { useCanInGroup } from "../../../data/groups.ts";
import { Section } from "../../../ui/settings-layout.tsx";
import { useFormats } from "../../../shared/formats.ts";

export function StoragePart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const isOwner = useCanInGroup(group.id, "ownGroup");
  return (
    <div className="grid gap-8">
      <Section title={t("messages:files.title")}>
        <Usage groupId={group.id} />
      </Section>
      <Section title={t("storage.retention")}>
        <RetentionForm group={group} />
      </Section>
      {isOwner && (
        <Section title={t("storage.export")}>
          <ExportGroup group={group} />
        </Section>
      )}
    </div>
  );
}

function Usage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("group-settings");
  const { bytes } = useFormats();
  const usage = useActionQuery("file.getGroupUsage", { groupId }, ON_OPEN);
  const { data } = usage;
  if (data === undefined)
    return (
      <Pending of={usage}>
        <Skeleton className="h-8" />
      </Pending>
    );
  const { usedBytes, maxBytes } = data;
  if (maxBytes === null)
    return <p className="text-sm text-muted">{t("storage.usedOnly", { used: bytes(usedBytes) })}</p>;
  const text = t("storage.used", { used: bytes(usedBytes), max: bytes(maxBytes) });
  return (
    <>
      <meter
        min={0}
        max={Math.max(1, maxBytes)}
        value={usedBytes}
        aria-label={t("messages:files.title")}
        className="sr-only"
      >
        {text}
      </meter>
      <div aria-hidden className="h-2.5 overflow-hidden rounded-full bg-selected">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, (usedBytes / Math.max(1, maxBytes)) * 100)}%` }}
        />
      </div>
      <p className="text-sm text-muted">{text}</p>
    </>
  );
}

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
function RetentionForm({ group }: { group: Group }) {
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
