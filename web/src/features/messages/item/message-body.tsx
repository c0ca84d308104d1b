import type { Message } from "@fanfare/contract";
import { Pin } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Markdown } from "../markdown/markdown.tsx";
import { useMessageContext } from "../list/message-context.ts";
import { formatTime } from "../times.ts";
import { Attachments } from "./attachments.tsx";
import { EditForm } from "./edit-form.tsx";
import { Embeds } from "./embeds.tsx";
import { Reactions } from "./reactions.tsx";
import { ThreadSummary } from "./thread-summary.tsx";

/** What a message says and what belongs to it. */
export function MessageBody({ message, isEditing }: { message: Message; isEditing: boolean }) {
  const { content, attachments, embeds, reactions, threadId, editedAt, pinnedAt } = message;
  return (
    <>
      {isEditing ? (
        <EditForm message={message} />
      ) : (
        content !== "" && (
          <div className="message-text">
            <Markdown content={content} />
          </div>
        )
      )}
      {(editedAt !== null || pinnedAt !== undefined) && !isEditing && <Marks message={message} />}
      {attachments !== undefined && <Attachments channelId={message.channelId} attachments={attachments} />}
      {embeds !== undefined && <Embeds embeds={embeds} />}
      {reactions !== undefined && <Reactions message={message} reactions={reactions} />}
      {threadId !== undefined && <ThreadSummary message={message} threadId={threadId} />}
    </>
  );
}

function Marks({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { ask, ownId } = useMessageContext();
  const { editedAt, pinnedAt, authorId } = message;
  const edited = editedAt !== null && t("item.edited");
  const title = editedAt === null ? "" : t("item.editedAt", { time: formatTime(editedAt, "full") });
  return (
    <p className="flex items-center gap-2 text-xs text-muted">
      {pinnedAt !== undefined && (
        <span className="inline-flex items-center gap-1">
          <Pin size={12} aria-hidden />
          {t("item.pinned")}
        </span>
      )}
      {edited !== false &&
        (authorId === ownId ? (
          <button
            type="button"
            title={title}
            className="hover:text-text hover:underline"
            onClick={() => ask({ kind: "history", message })}
          >
            {edited}
          </button>
        ) : (
          <span title={title}>{edited}</span>
        ))}
    </p>
  );
}
