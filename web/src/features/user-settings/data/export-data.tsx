import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { DownloadLines } from "../../../shared/download-lines.tsx";
import { Section } from "../section.tsx";
import { readExport } from "./read-export.ts";

/** Everything that the server has of the user, as one file. */
export function ExportData() {
  const { t } = useTranslation("user-settings");
  const { username, nickname } = useMe();
  const call = useCall();
  const day = () => new Date().toISOString().slice(0, "2026-01-01".length);
  return (
    <Section title={t("export.title")} text={t("export.text")}>
      <DownloadLines
        action={t("export.action")}
        progress={(items) => t("export.busy", { items })}
        done={(items) => t("export.done", { items })}
        fileName={() => `fanfare-${username ?? nickname}-${day()}.jsonl`}
        read={(signal) => readExport(call, signal)}
      />
    </Section>
  );
}
