import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { ErrorNote, showToast } from "../ui/feedback.tsx";
import { useAction } from "./use-action.ts";
import { useFormats } from "./formats.ts";

const KEPT_MS = 60_000;

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

const LINES_PER_PIECE = 5000;

export async function* inPieces<T>(lines: AsyncIterable<T>): AsyncGenerator<T[]> {
  let piece: T[] = [];
  for await (const line of lines) {
    piece.push(line);
    if (piece.length < LINES_PER_PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}

interface DownloadLinesProps {
  action: string;
  disabled?: boolean;
  /** Texts for the progress and the end, with the number of lines. */
  progress: (count: string) => string;
  done: (count: string) => string;
  fileName: () => string;
  /** The lines in chunks. The browser moves large blobs to disk. */
  read: (signal: AbortSignal) => AsyncIterable<readonly unknown[]>;
}

/** Downloads a long JSON Lines file with progress. Can be canceled. */
export function DownloadLines({
  action,
  disabled = false,
  progress,
  done,
  fileName,
  read,
}: DownloadLinesProps) {
  const { t } = useTranslation("ui");
  const { count } = useFormats();
  const { busy, error, run } = useAction();
  const [lines, setLines] = useState(0);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = () =>
    run(async () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      const pieces: Blob[] = [];
      let total = 0;
      setLines(0);
      try {
        for await (const items of read(signal)) {
          pieces.push(new Blob(items.map((item) => `${JSON.stringify(item)}\n`)));
          total += items.length;
          setLines(total);
        }
      } catch (failure) {
        if (signal.aborted) return;
        throw failure;
      }
      saveFile(new Blob(pieces, { type: "application/x-ndjson" }), fileName());
      showToast({ text: done(count(total)), tone: "good" });
    });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={busy} disabled={disabled} icon={Download} onClick={() => void start()}>
          {action}
        </Button>
        {busy && (
          <>
            <Button variant="ghost" onClick={() => abort.current?.abort()}>
              {t("cancel")}
            </Button>
            <p role="status" className="text-sm text-muted">
              {progress(count(lines))}
            </p>
          </>
        )}
      </div>
      <ErrorNote text={error} />
    </>
  );
}
