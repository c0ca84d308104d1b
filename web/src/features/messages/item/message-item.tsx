import type { Message } from "@fanfare/contract";
import { type PointerEvent, memo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../../ui/avatar.tsx";
import { cx } from "../../../ui/cx.ts";
import type { MessageRow } from "../list/rows.ts";
import { useMessageContext } from "../list/message-context.ts";
import { clockTime, formatTime, shortTime } from "../times.ts";
import { AuthorName } from "./author-name.tsx";
import { MessageBody } from "./message-body.tsx";
import { MessageToolbar } from "./message-toolbar.tsx";
import { ReplyPreview } from "./reply-preview.tsx";
import { type Author, useAuthor } from "./use-author.ts";

interface MessageItemProps {
  row: MessageRow;
  /** Whether it can be reached with Tab: one of the list can. */
  isActive: boolean;
  isEditing: boolean;
  /** Whether somebody has jumped to it just now. */
  isHighlighted: boolean;
  isReacting: boolean;
}

/** The id of the element of a message. */
export const messageElementId = (messageId: string): string => `message-${messageId}`;

export const MessageItem = memo(function MessageItem({
  row: { message, startsGroup },
  isActive,
  isEditing,
  isHighlighted,
  isReacting,
}: MessageItemProps) {
  const { t } = useTranslation("messages");
  const author = useAuthor(message);
  const { mentionsMe } = useMessageContext();
  const [isHot, setHot] = useState(false);
  const element = useRef<HTMLElement>(null);
  const leave = () => {
    // What was opened from the toolbar stays open, and so does the toolbar.
    if (element.current?.querySelector("[data-popup-open]") === null) setHot(false);
  };
  const enter = (event: PointerEvent) => {
    if (event.pointerType === "mouse") setHot(true);
  };
  return (
    <article
      ref={element}
      id={messageElementId(message.id)}
      data-message-id={message.id}
      tabIndex={isActive ? 0 : -1}
      aria-label={t("item.label", { name: author.name, time: formatTime(message.createdAt, "full") })}
      className={cx(
        "message group relative flex gap-4 px-4 py-0.5 outline-offset-[-2px] transition-colors md:px-5",
        startsGroup && "mt-message",
        isHighlighted ? "bg-accent-soft" : mentionsMe(message) ? "bg-mention" : "hover:bg-hover/50",
      )}
      onPointerEnter={enter}
      onPointerLeave={leave}
      onFocus={(event) => {
        if (event.target.matches(":focus-visible")) setHot(true);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) leave();
      }}
    >
      <div className={cx("w-10 shrink-0 text-right", message.replyTo !== null && "pt-5")}>
        {startsGroup ? (
          <Picture author={author} authorId={message.authorId} />
        ) : (
          <Time message={message} isQuiet />
        )}
      </div>
      <div className="min-w-0 flex-1">
        {message.replyTo !== null && <ReplyPreview messageId={message.replyTo} />}
        {startsGroup && (
          <p className="flex items-baseline gap-2 leading-snug">
            <AuthorName author={author} authorId={message.authorId} isActive={isActive} />
            <Time message={message} />
          </p>
        )}
        <MessageBody message={message} isEditing={isEditing} />
      </div>
      {(isHot || isReacting) && !isEditing && <MessageToolbar message={message} isReacting={isReacting} />}
    </article>
  );
});

/** A larger place to press than the name, which does the same for the keyboard. */
function Picture({ author, authorId }: { author: Author; authorId: string }) {
  const { onUser } = useMessageContext();
  const picture = <Avatar name={author.name} id={authorId} src={author.avatarUrl} size={40} />;
  if (onUser === undefined || author.mark === "webhook") return picture;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden
      className="block rounded-full"
      onClick={(event) => onUser(authorId, event.currentTarget)}
    >
      {picture}
    </button>
  );
}

function Time({ message: { createdAt }, isQuiet = false }: { message: Message; isQuiet?: boolean }) {
  return (
    <time
      dateTime={createdAt}
      title={formatTime(createdAt, "full")}
      className={cx(
        "text-xs whitespace-nowrap text-muted tabular-nums",
        isQuiet && "leading-6 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100",
      )}
    >
      {isQuiet ? clockTime(createdAt) : shortTime(createdAt)}
    </time>
  );
}
