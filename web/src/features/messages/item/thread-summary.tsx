import type { Message } from "@fanfare/contract";
import { ChevronRight, MessageSquareText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAsk } from "../../../data/data-context.ts";
import { useChannelState } from "../../../data/channels.ts";
import { useMessageContext } from "../list/message-context.ts";
import { shortTime } from "../times.ts";

/** The thread about a message: how much was written there, and when last. */
export function ThreadSummary({ message, threadId }: { message: Message; threadId: string }) {
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
