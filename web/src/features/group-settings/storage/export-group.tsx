import type { Group } from "@fanfare/contract";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../../data/data-context.ts";
import { useAction } from "../../../shared/use-action.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { saveFile } from "./save-file.ts";

/** Lines that are kept as one piece: the browser puts large pieces out of memory by itself. */
const LINES_PER_PIECE = 5000;

/** All of the group as a file of JSON lines, which the command line imports again: for its owner, or as an admin. */
export function ExportGroup({ group, asAdmin = false }: { group: Group; asAdmin?: boolean }) {
  const { t } = useTranslation("group-settings");
  const { count } = useFormats();
  const { client } = useServerCache();
  const { busy, error, run } = useAction();
  const [lines, setLines] = useState(0);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = () =>
    run(async () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      const pieces: Blob[] = [];
      let texts: string[] = [];
      let total = 0;
      setLines(0);
      try {
        for await (const line of client.exportGroup(group.id, { signal, asAdmin })) {
          texts.push(`${JSON.stringify(line)}\n`);
          total += 1;
          if (texts.length < LINES_PER_PIECE) continue;
          pieces.push(new Blob(texts));
          texts = [];
          setLines(total);
        }
      } catch (failure) {
        if (signal.aborted) return;
        throw failure;
      }
      saveFile(new Blob([...pieces, ...texts], { type: "application/x-ndjson" }), `${group.name}.jsonl`);
      showToast({ text: t("storage.exported", { lines: count(total) }), tone: "good" });
    });
  return (
    <>
      <p className="text-muted">{t("storage.exportText")}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={busy} icon={<Download size={16} aria-hidden />} onClick={() => void start()}>
          {t("storage.exportAction")}
        </Button>
        {busy && (
          <>
            <Button variant="ghost" onClick={() => abort.current?.abort()}>
              {t("ui:cancel")}
            </Button>
            <p role="status" className="text-sm text-muted">
              {t("storage.exporting", { lines: count(lines) })}
            </p>
          </>
        )}
      </div>
      <ErrorNote text={error} />
    </>
  );
}
