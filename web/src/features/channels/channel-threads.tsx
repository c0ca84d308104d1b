import type { ChannelState } from "@fanfare/contract";
import { MessagesSquare } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useSearch } from "wouter";
import { useMe } from "../../data/me.ts";
import { useThreads } from "../../data/threads.ts";
import { channelPath, parsePlace } from "../../routes.ts";
import { cx } from "../../ui/cx.ts";

const MAX_SHOWN = 5;

/** Threads of a channel that the user has opened or looked into: those in which something was written last. */
export function ChannelThreads({ channel }: { channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const me = useMe();
  const { thread: openId } = parsePlace(useSearch());
  const threads = useThreads(channel.id).data ?? [];
  const own = threads.filter(({ ownerId, lastReadSeq }) => ownerId === me.id || lastReadSeq > 0);
  if (own.length === 0) return null;
  return (
    <ul aria-label={t("threadsOf", { channel: channel.name })} className="mb-1 ml-4 grid gap-px">
      {own.slice(0, MAX_SHOWN).map((thread) => {
        const isUnread = thread.head.seq > thread.lastReadSeq && thread.id !== openId;
        return (
          <li key={thread.id}>
            <Link
              data-walk
              href={channelPath(channel.groupId!, channel.id, { thread: thread.id })}
              aria-current={thread.id === openId ? "true" : undefined}
              className={cx(
                "flex min-h-row items-center gap-2 rounded-md px-2 text-sm -outline-offset-2 hover:bg-hover hover:text-text",
                isUnread ? "font-semibold text-text" : "text-muted",
                thread.id === openId && "bg-hover text-text",
              )}
            >
              <MessagesSquare size={14} aria-hidden className="shrink-0 opacity-80" />
              <span className="min-w-0 truncate">
                {thread.name === "" ? t("unnamedThread") : thread.name}
              </span>
              {isUnread && <span className="sr-only">{t("unread")}</span>}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
