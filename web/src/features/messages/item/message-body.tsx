import type { Message, Embed } from "@fanfare/contract";
import { Pin, ChevronRight, MessageSquareText } from "lucide-react";
import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { useChannelState } from "../../../data/channels.ts";
import { useAsk } from "../../../data/data-context.ts";
import { useMessageContext } from "../list/message-context.ts";
import { MarkdownContext } from "../markdown/markdown-context.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { safeUrl } from "../markdown/safe-url.ts";
import { formatTime, shortTime } from "../times.ts";
import { Attachments } from "./attachments.tsx";
import { EditForm } from "./edit-form.tsx";
import { Reactions } from "./reactions.tsx";

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

/** What the pages say about themselves that a message links to. Their pictures stay away: to load one tells who reads. */
function Embeds({ embeds }: { embeds: readonly Embed[] }) {
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {embeds.map((embed, index) => (
        <EmbedCard key={index} embed={embed} />
      ))}
    </div>
  );
}

function EmbedCard({ embed }: { embed: Embed }) {
  const { onFollow } = useContext(MarkdownContext);
  const url = safeUrl(embed.url);
  if (url === null) return null;
  return (
    <div className="grid max-w-110 gap-0.5 rounded-md border border-line border-l-4 border-l-line-strong bg-raised px-3 py-2 wrap-anywhere">
      <p className="text-xs text-muted">{embed.siteName || url.hostname}</p>
      <a
        href={url.href}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        className="font-medium text-accent-text hover:underline"
        onClick={(event) => onFollow(event, url)}
      >
        {embed.title || url.href}
      </a>
      {embed.description !== "" && <p className="line-clamp-3 text-sm text-muted">{embed.description}</p>}
    </div>
  );
}

/** The thread about a message: how much was written there, and when last. */
function ThreadSummary({ message, threadId }: { message: Message; threadId: string }) {
  const { t } = useTranslation("messages");
  const { openThread } = useMessageContext();
  const { data: thread } = useChannelState(threadId);
  const seq = thread?.head.seq ?? 0;
  const { data: last } = useAsk(
    "message.list",
    { channelId: threadId, before: seq + 1, limit: 1 },
    { enabled: seq > 0, select: ({ messages }) => messages[0]?.createdAt },
  );
  const isUnread = thread !== undefined && thread.lastReadSeq > 0 && seq > thread.lastReadSeq;
  return (
    <button
      type="button"
      className="mt-1 inline-flex min-h-control-sm max-w-full items-center gap-2 rounded-md border border-line bg-raised px-2.5 text-sm hover:border-line-strong"
      onClick={() => openThread(message)}
    >
      <MessageSquareText size={15} aria-hidden className="shrink-0 text-accent-text" />
      <span className="font-medium text-accent-text">{t("thread.replies", { count: seq })}</span>
      {isUnread && (
        <span aria-label={t("thread.unread")} className="size-2 shrink-0 rounded-full bg-accent" />
      )}
      {last !== undefined && (
        <span className="truncate text-muted">{t("thread.last", { time: shortTime(last) })}</span>
      )}
      <ChevronRight size={15} aria-hidden className="shrink-0 text-muted" />
    </button>
  );
}
