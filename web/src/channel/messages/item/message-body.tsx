import type { Embed, Message } from "@fanfare/contract";
import { ChevronRight, MessageSquareText, Pin } from "lucide-react";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChannelState } from "../../../data/groups.ts";
import { useMessageContext } from "../list/use-rows.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ExternalLink } from "../markdown/inline.tsx";
import { safeUrl } from "../markdown/lex.ts";
import { usePlugins } from "../../../plugins/plugins.ts";
import { later } from "../../../shared/later.tsx";
import { formatTime, shortTime } from "../../../shared/times.ts";
import { Faces, useThreadActivity } from "../../threads/thread-activity.tsx";
import { Sticker } from "../../emoji/sticker.tsx";
import { Attachments } from "./attachments.tsx";
import { Cards, Controls } from "./cards.tsx";
import { LinkedMessages } from "./message-preview.tsx";
import { PollCard, votesOf } from "./poll.tsx";
import { Reactions } from "./reactions.tsx";

const PluginCards = later(async () => (await import("../../../plugins/plugin-cards.tsx")).PluginCards);
const CallSummary = later(async () => (await import("../../../calls/call-message.tsx")).CallSummary);
const EditForm = later(async () => (await import("../../../composer/fields.ts")).EditForm);

interface MessageBodyProps {
  message: Message;
  isEditing: boolean;
}

export const MessageBody = memo(function MessageBody({ message, isEditing }: MessageBodyProps) {
  const { content, attachments, embeds, cards, controls, poll, sticker, threadId, alsoIn, replyIn } = message;
  const { call, editedAt, pinnedAt } = message;
  const hasPlugins = usePlugins(({ withCards }) => withCards.length > 0);
  const votes = votesOf(poll);
  const reactions = message.reactions?.filter(({ emoji }) => !votes.includes(emoji)) ?? [];
  // Only reactions that are added while the message is shown are animated.
  const [knownEmoji] = useState(() => new Set(reactions.map(({ emoji }) => emoji)));
  return (
    <>
      {isEditing ? (
        <EditForm message={message} />
      ) : (
        content !== "" && (
          <div className="message-text">
            {sticker === undefined ? (
              <Markdown content={content} />
            ) : (
              <Sticker id={sticker.id} name={content} />
            )}
          </div>
        )
      )}
      {(editedAt !== null || pinnedAt !== undefined) && !isEditing && <Marks message={message} />}
      {alsoIn !== undefined && <AlsoInChannel />}
      {replyIn !== undefined && <RepliedInThread message={message} threadId={replyIn} />}
      {attachments !== undefined && <Attachments message={message} />}
      {cards !== undefined && <Cards message={message} cards={cards} />}
      {embeds !== undefined && <Embeds embeds={embeds} />}
      {hasPlugins && content.includes("://") && !isEditing && <PluginCards content={content} />}
      {controls !== undefined && <Controls message={message} controls={controls} />}
      {!isEditing && <LinkedMessages content={content} />}
      {call !== undefined && <CallSummary message={message} />}
      {poll !== undefined && <PollCard message={message} poll={poll} />}
      {reactions.length > 0 && <Reactions message={message} reactions={reactions} knownEmoji={knownEmoji} />}
      {threadId !== undefined && <ThreadSummary message={message} threadId={threadId} />}
    </>
  );
});

function AlsoInChannel() {
  const { t } = useTranslation("messages");
  return <p className="mt-0.5 text-xs text-muted">{t("thread.alsoInChannel")}</p>;
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
  const url = safeUrl(embed.url);
  if (url === null) return null;
  return (
    <div className="grid max-w-110 gap-0.5 rounded-md border border-line border-s-4 border-s-line-strong bg-raised px-3 py-2 wrap-anywhere">
      <p className="text-xs text-muted">{embed.siteName || url.hostname}</p>
      <ExternalLink url={url} className="font-medium text-accent-text hover:underline">
        {embed.title || url.href}
      </ExternalLink>
      {embed.description !== "" && <p className="line-clamp-3 text-sm text-muted">{embed.description}</p>}
    </div>
  );
}

/** Opens the thread. */
function RepliedInThread({ message, threadId }: { message: Message; threadId: string }) {
  const { t } = useTranslation("messages");
  const { openThread } = useMessageContext();
  const { data: thread } = useChannelState(threadId);
  return (
    <button
      type="button"
      className="mt-0.5 flex max-w-full items-center gap-1.5 text-start text-sm text-muted hover:text-text hover:underline"
      onClick={() => openThread({ ...message, threadId })}
    >
      <MessageSquareText size={14} aria-hidden className="shrink-0" />
      <span className="truncate">{t("thread.repliedIn", { name: thread?.name || t("threads:title") })}</span>
    </button>
  );
}

function ThreadSummary({ message, threadId }: { message: Message; threadId: string }) {
  const { t } = useTranslation("messages");
  const { openThread, channel } = useMessageContext();
  const { data: thread } = useChannelState(threadId);
  const { last, userIds } = useThreadActivity(thread);
  const seq = thread?.head.seq ?? 0;
  const isUnread = thread !== undefined && thread.lastReadSeq > 0 && seq > thread.lastReadSeq;
  return (
    <button
      type="button"
      className="group/thread mt-1 -ms-1.5 inline-flex min-h-8 max-w-full items-center gap-2 rounded-md border border-transparent px-1.5 text-sm transition-colors hover:border-line hover:bg-raised touch:min-h-control-sm"
      onClick={() => openThread(message)}
    >
      {userIds.length > 0 ? (
        <Faces userIds={userIds} groupId={channel.groupId} size={22} />
      ) : (
        <MessageSquareText size={16} aria-hidden className="shrink-0 text-accent-text" />
      )}
      <span className="shrink-0 font-semibold text-accent-text">{t("threads:replies", { count: seq })}</span>
      {isUnread && (
        <span role="img" aria-label={t("common:unread")} className="size-2 shrink-0 rounded-full bg-text" />
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
