import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { DownloadLines } from "../../shared/download-lines.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import type { Call } from "@fanfare/contract";
import { whenAllowed } from "../../shared/pause.ts";

export function ExportData() {
  const { t } = useTranslation("settings");
  const { username, nickname } = useMe();
  const call = useCall();
  const day = () => new Date().toISOString().slice(0, "2026-01-01".length);
  return (
    <Section title={t("export.title")} text={t("export.text")}>
      <DownloadLines
        action={t("export.action")}
        progress={(items) => t("export.progress", { items })}
        done={(items) => t("export.done", { items })}
        fileName={() => `fanfare-${username ?? nickname}-${day()}.jsonl`}
        read={(signal) => readExport(call, signal)}
      />
    </Section>
  );
}

export type ExportedItem = { kind: string; data?: unknown };

/**
 * Reads the export page by page and honors the server's rate limit.
 * @throws {FanfareError} as `call`, or the signal's reason
 */
export async function* readExport(call: Call, signal: AbortSignal): AsyncGenerator<ExportedItem[]> {
  let cursor: string | null = null;
  do {
    const params: { cursor?: string } = cursor === null ? {} : { cursor };
    const page: { items: ExportedItem[]; nextCursor: string | null } = await whenAllowed(
      () => call("user.exportMyData", params),
      signal,
    );
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
