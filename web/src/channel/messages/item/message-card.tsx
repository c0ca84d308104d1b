import type { Message } from "@fanfare/contract";
import type { ReactNode } from "react";
import { Avatar } from "../../../ui/avatar.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { formatTime } from "../times.ts";
import { Attachments } from "./attachments.tsx";
import { useAuthor } from "./use-author.ts";

interface MessageCardProps {
  message: Message;
  /** Buttons at the top. */
  actions?: ReactNode;
  /** Below what it says. */
  children?: ReactNode;
}

/** A message outside of its channel: among pins, or found by a search. Stand it within a MentionsProvider. */
export function MessageCard({ message, actions, children }: MessageCardProps) {
  const author = useAuthor(message);
  const { content, attachments, createdAt, channelId, authorId } = message;
  return (
    <article className="grid gap-1 rounded-md border border-line bg-raised p-3 text-sm">
      <header className="flex items-center gap-2">
        <Avatar name={author.name} id={authorId} src={author.avatarUrl} size={24} />
        <span className="truncate font-semibold">{author.name}</span>
        <time
          dateTime={createdAt}
          className="shrink-0 text-xs text-muted"
          title={formatTime(createdAt, "full")}
        >
          {formatTime(createdAt, "short")}
        </time>
        <span className="-my-1 ml-auto flex shrink-0 touch:-my-2.5">{actions}</span>
      </header>
      {content !== "" && (
        <div className="max-h-60 overflow-y-auto">
          <Markdown content={content} />
        </div>
      )}
      {attachments !== undefined && <Attachments channelId={channelId} attachments={attachments} />}
      {children}
    </article>
  );
}
