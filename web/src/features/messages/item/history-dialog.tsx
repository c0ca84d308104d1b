import type { Message } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useAsk } from "../../../data/data-context.ts";
import { errorText } from "../../../shared/error-text.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { formatTime } from "../times.ts";

/** The texts that a message had, the newest first. */
export function HistoryDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { id: messageId, channelId, content, editedAt } = message;
  const { data, error, refetch } = useAsk("message.listEdits", { channelId, messageId }, { staleTime: 0 });
  return (
    <Dialog open onClose={onClose} title={t("history.title")} size="lg">
      <ol className="grid gap-4">
        <Version content={content} time={editedAt ?? message.createdAt} note={t("history.now")} />
        {data?.edits.map((edit) => (
          <Version key={edit.version} content={edit.content} time={edit.writtenAt} />
        ))}
      </ol>
      {data === undefined && error === null && <SkeletonRows count={2} />}
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
    </Dialog>
  );
}

function Version({ content, time, note }: { content: string; time: string; note?: string }) {
  return (
    <li className="grid gap-1">
      <p className="text-sm text-muted">
        <time dateTime={time}>{formatTime(time, "full")}</time>
        {note !== undefined && ` · ${note}`}
      </p>
      <div className="rounded-md border border-line px-3 py-2">
        <Markdown content={content} />
      </div>
    </li>
  );
}
