import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../../data/data-context.ts";
import { DownloadLines } from "../../../shared/download-lines.tsx";

const LINES_PER_PIECE = 5000;

/** All of the group as a file of JSON lines, which the command line imports again: for its owner, or as an admin. */
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

async function* inPieces<T>(lines: AsyncIterable<T>): AsyncGenerator<T[]> {
  let piece: T[] = [];
  for await (const line of lines) {
    piece.push(line);
    if (piece.length < LINES_PER_PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}
