import type { Embed, Message } from "@fanfare/contract";
import { ChevronRight, MessageSquareText, Pin } from "lucide-react";
import { useContext, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useChannelState } from "../../../data/groups.ts";
import { useMessageContext } from "../list/use-rows.ts";
import { Markdown, MarkdownContext } from "../markdown/markdown.tsx";
import { safeUrl } from "../markdown/lex.ts";
import { formatTime, shortTime } from "../../../shared/times.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { focusComposer, useEditor } from "../../../composer/use-editor.ts";
import { MessageField } from "../../../composer/message-field.tsx";
import { setEditing } from "../conversation.ts";
import { Faces, useThreadActivity } from "../../threads/thread-activity.tsx";
import { Attachments } from "./attachments.tsx";
import { Reactions } from "./reactions.tsx";

export function MessageBody({ message, isEditing }: { message: Message; isEditing: boolean }) {
  const { content, attachments, embeds, reactions, threadId, editedAt, pinnedAt } = message;
  // Only reactions that are added while the message is shown are animated.
  const [knownEmoji] = useState(() => new Set(reactions?.map(({ emoji }) => emoji)));
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
      {reactions !== undefined && (
        <Reactions message={message} reactions={reactions} knownEmoji={knownEmoji} />
      )}
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
    <p className="mt-0.5 flex items-center gap-2 text-xs text-muted">
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

/** Link previews. Their images aren't loaded, since that would tell the other site who reads the message. */
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

function ThreadSummary({ message, threadId }: { message: Message; threadId: string }) {
  const { t } = useTranslation("messages");
  const { openThread } = useMessageContext();
  const { data: thread } = useChannelState(threadId);
  const { last, userIds } = useThreadActivity(thread);
  const seq = thread?.head.seq ?? 0;
  const isUnread = thread !== undefined && thread.lastReadSeq > 0 && seq > thread.lastReadSeq;
  return (
    <button
      type="button"
      className="group/thread mt-1 -ml-1.5 inline-flex min-h-8 max-w-full items-center gap-2 rounded-md border border-transparent px-1.5 text-sm transition-colors hover:border-line hover:bg-raised touch:min-h-control-sm"
      onClick={() => openThread(message)}
    >
      {userIds.length > 0 ? (
        <Faces userIds={userIds} size={22} />
      ) : (
        <MessageSquareText size={16} aria-hidden className="shrink-0 text-accent-text" />
      )}
      <span className="shrink-0 font-semibold text-accent-text">{t("thread.replies", { count: seq })}</span>
      {isUnread && (
        <span role="img" aria-label={t("thread.unread")} className="size-2 shrink-0 rounded-full bg-text" />
      )}
      {last !== undefined && (
        <span className="truncate text-muted">{t("thread.last", { time: shortTime(last.createdAt) })}</span>
      )}
      <ChevronRight
        size={16}
        aria-hidden
        className="shrink-0 text-muted opacity-0 group-hover/thread:opacity-100 group-focus-visible/thread:opacity-100"
      />
    </button>
  );
}

/** Enter saves, Esc cancels. Saving an empty text asks to delete the message. */
function EditForm({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { view, channel, permissions, ask } = useMessageContext();
  const editor = useEditor(channel.groupId, message.content);
  const { busy, error, run } = useAction();
  const hintId = useId();
  const { field } = editor;
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [field]);
  const content = editor.wire.trim();
  const tooMany = content.length - LIMITS.messageMaxChars;
  const close = () => {
    setEditing(view.channelId, null);
    focusComposer(view.channelId);
  };
  const save = async () => {
    if (content === "" && message.attachments === undefined) {
      close();
      ask({ kind: "delete", message });
    } else if (content === "" || content === message.content) {
      close();
    } else if (tooMany <= 0 && (await run(() => view.edit(message.id, content)))) {
      close();
    }
  };
  return (
    <form
      className="relative grid gap-2 py-1"
      onKeyDown={(event) => event.stopPropagation()}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <MessageField
        editor={editor}
        channel={channel}
        permissions={permissions}
        label={t("edit.label")}
        describedBy={hintId}
        className="block rounded-md border border-line-strong bg-field px-3 py-2"
        onSend={() => void save()}
        onKey={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          close();
        }}
      />
      <div className="flex items-center gap-2">
        <Button variant="primary" size="sm" type="submit" busy={busy} disabled={tooMany > 0}>
          {t("edit.save")}
        </Button>
        <Button variant="ghost" size="sm" onClick={close}>
          {t("ui:cancel")}
        </Button>
        <p id={hintId} className="text-xs text-danger-text">
          {tooMany > 0 && t("composer:tooLong", { count: tooMany })}
        </p>
      </div>
      <ErrorNote text={error} />
    </form>
  );
}
