import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useAction } from "../../../shared/use-action.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { saveFile } from "../../group-settings/storage/save-file.ts";
import { Section } from "../section.tsx";
import { readExport } from "./read-export.ts";

/** Everything that the server has of the user, as one file. */
export function ExportData() {
  const { t } = useTranslation("user-settings");
  const { count } = useFormats();
  const { username, nickname } = useMe();
  const call = useCall();
  const { busy, error, run } = useAction();
  const [items, setItems] = useState(0);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = () =>
    run(async () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      // The browser puts large pieces out of memory by itself.
      const pieces: Blob[] = [];
      let total = 0;
      setItems(0);
      try {
        for await (const page of readExport(call, signal)) {
          const lines = page.map((item) => `${JSON.stringify(item)}\n`);
          if (lines.length > 0) pieces.push(new Blob(lines));
          total += lines.length;
          setItems(total);
        }
      } catch (failure) {
        if (signal.aborted) return;
        throw failure;
      }
      const day = new Date().toISOString().slice(0, "2026-01-01".length);
      const file = new Blob(pieces, { type: "application/x-ndjson" });
      saveFile(file, `fanfare-${username ?? nickname}-${day}.jsonl`);
      showToast({ text: t("export.done", { items: count(total) }), tone: "good" });
    });
  return (
    <Section title={t("export.title")} text={t("export.text")}>
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={busy} icon={<Download size={16} aria-hidden />} onClick={() => void start()}>
          {t("export.action")}
        </Button>
        {busy && (
          <>
            <Button variant="ghost" onClick={() => abort.current?.abort()}>
              {t("ui:cancel")}
            </Button>
            <p role="status" className="text-sm text-muted">
              {t("export.busy", { items: count(items) })}
            </p>
          </>
        )}
      </div>
      <ErrorNote text={error} />
    </Section>
  );
}
