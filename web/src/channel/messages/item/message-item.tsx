import type { Message } from "@fanfare/contract";
import { Check } from "lucide-react";
import { memo, type PointerEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMember } from "../../../data/members.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { usePreferences } from "../../../state/preferences.ts";
import { cx } from "../../../ui/cx.ts";
import { later } from "../../../shared/later.tsx";
import { useMessageContext } from "../list/use-rows.ts";
import type { MessageRow } from "../list/rows.ts";
import { clockTime, formatTime, shortTime } from "../../../shared/times.ts";
import { MessageBody } from "./message-body.tsx";
import { readableColors, type Author, useAuthor } from "./use-author.ts";
import { ReplyPreview } from "./message-preview.tsx";

const MessageToolbar = later(async () => (await import("../../../app/next.ts")).MessageToolbar);

export const messageElementId = (messageId: string): string => `message-${messageId}`;

export interface MessageItemProps {
  row: MessageRow;
  /** Whether it is the list's tab stop. */
  isActive: boolean;
  isEditing: boolean;
  /** Whether it was just jumped to. */
  isHighlighted: boolean;
  isReacting: boolean;
  /** Null unless the user selects messages. */
  isSelected: boolean | null;
}

export const MessageItem = memo(function MessageItem({
  row: { message, startsGroup },
  isActive,
  isEditing,
  isHighlighted,
  isReacting,
  isSelected,
}: MessageItemProps) {
  const { t } = useTranslation("messages");
  const author = useAuthor(message);
  const { mentionsMe, ownId } = useMessageContext();
  const isCompact = usePreferences(({ density }) => density === "compact");
  const [isNew] = useState(() => message.authorId !== ownId && isRecent(message.createdAt) && isCalm());
  const [isHovered, setHovered] = useState(false);
  const element = useRef<HTMLElement>(null);
  const fullTime = formatTime(message.createdAt, "full");
  const label = t("item.label", { name: author.name, time: fullTime });
  const leave = () => {
    // The toolbar stays while a popup that it opened is open.
    if (element.current?.querySelector("[data-popup-open]") === null) setHovered(false);
  };
  const enter = (event: PointerEvent) => {
    if (event.pointerType === "mouse") setHovered(true);
  };
  return (
    <article
      ref={element}
      id={messageElementId(message.id)}
      data-message-id={message.id}
      tabIndex={isActive ? 0 : -1}
      aria-label={label}
      className={cx(
        "message column group relative flex py-0.5 outline-offset-[-2px] transition-colors md:rounded-md",
        isCompact ? "gap-2 text-sm" : "gap-4",
        startsGroup && "mt-message",
        isNew && "animate-arrive",
        isSelected === true
          ? "bg-selected"
          : isHighlighted || mentionsMe(message)
            ? "bg-highlight"
            : "hover:bg-hover/50",
      )}
      onPointerEnter={enter}
      onPointerLeave={leave}
      onFocus={(event) => {
        if (event.target.matches(":focus-visible")) setHovered(true);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) leave();
      }}
    >
      {isSelected !== null && <SelectMark label={label} isSelected={isSelected} isActive={isActive} />}
      <div
        className={cx(
          "shrink-0 text-end",
          // The time has the text's baseline, in a line that is higher than the text's.
          isCompact ? "w-15 leading-5" : "-mb-0.5 w-10",
          message.replyTo !== null && "pt-5",
        )}
      >
        {isCompact ? (
          <Time message={message} title={fullTime} />
        ) : startsGroup ? (
          <Picture author={author} authorId={message.authorId} />
        ) : (
          <Time message={message} title={fullTime} isQuiet />
        )}
      </div>
      <div className="min-w-0 flex-1">
        {message.replyTo !== null && <ReplyPreview messageId={message.replyTo} />}
        {(startsGroup || isCompact) && (
          <p
            className={
              // The text begins on the same line.
              isCompact
                ? "float-start me-2 flex max-w-1/2 items-baseline gap-1.5"
                : "flex items-baseline gap-2 leading-snug"
            }
          >
            <AuthorName author={author} authorId={message.authorId} isActive={isActive} />
            {!isCompact && <Time message={message} title={fullTime} />}
          </p>
        )}
        <MessageBody message={message} isEditing={isEditing} />
      </div>
      {(isHovered || isReacting) && !isEditing && isSelected === null && (
        <MessageToolbar message={message} isReacting={isReacting} />
      )}
    </article>
  );
});

interface SelectMarkProps {
  label: string;
  isSelected: boolean;
  isActive: boolean;
}

/** The list handles its clicks, as those on the rest of the message. */
function SelectMark({ label, isSelected, isActive }: SelectMarkProps) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isSelected}
      aria-label={label}
      tabIndex={isActive ? 0 : -1}
      className={cx(
        "mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-sm border",
        isSelected ? "border-accent bg-accent text-on-accent" : "border-line-strong bg-field",
      )}
    >
      {isSelected && <Check size={14} strokeWidth={3} aria-hidden />}
    </button>
  );
}

const NEW_MS = 3000;

/** Whether a message arrived while the channel was open. History isn't animated when it scrolls into view. */
function isRecent(createdAt: string): boolean {
  return Date.now() - Date.parse(createdAt) < NEW_MS;
}

const CALM_MS = 500;
let lastNewMs = -Infinity;

/** Whether no other message has just arrived. Many at once aren't animated, since that would slow down typing. */
function isCalm(): boolean {
  const beforeMs = lastNewMs;
  lastNewMs = performance.now();
  return lastNewMs - beforeMs > CALM_MS;
}

/** A larger click target than the name, which is the one for the keyboard. */
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

interface TimeProps {
  message: Message;
  title: string;
  isQuiet?: boolean;
}

function Time({ message: { createdAt }, title, isQuiet = false }: TimeProps) {
  return (
    <time
      dateTime={createdAt}
      title={title}
      className={cx(
        "text-xs whitespace-nowrap text-muted tabular-nums",
        isQuiet && "leading-6 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100",
      )}
    >
      {isQuiet ? clockTime(createdAt) : shortTime(createdAt)}
    </time>
  );
}

interface AuthorNameProps {
  author: Author;
  authorId: string;
  isActive: boolean;
}

/** The name in the color of the author's highest colored role, with a badge for bots, webhooks and imported authors. */
function AuthorName({ author, authorId, isActive }: AuthorNameProps) {
  const { channel, coloredRoles, onUser } = useMessageContext();
  const isPerson = author.mark !== "webhook";
  const isPlain = coloredRoles.length === 0 || channel.groupId === null || !isPerson;
  const name = isPlain ? (
    <span className="font-semibold">{author.name}</span>
  ) : (
    <ColoredName name={author.name} authorId={authorId} groupId={channel.groupId!} />
  );
  return (
    <>
      {isPerson && onUser !== undefined ? (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          className="truncate hover:underline"
          onClick={(event) => onUser(authorId, event.currentTarget)}
        >
          {name}
        </button>
      ) : (
        name
      )}
      {author.mark !== null && <AuthorMark mark={author.mark} />}
    </>
  );
}

function AuthorMark({ mark }: { mark: NonNullable<Author["mark"]> }) {
  const { t } = useTranslation("messages");
  return <Badge>{t(`author.${mark}`)}</Badge>;
}

function ColoredName({ name, authorId, groupId }: { name: string; authorId: string; groupId: string }) {
  const { coloredRoles } = useMessageContext();
  const { data: member } = useMember(groupId, authorId);
  const color = coloredRoles.find(({ id }) => member?.roleIds.includes(id))?.color;
  if (color === undefined || color === null) return <span className="font-semibold">{name}</span>;
  return (
    <span
      className="font-semibold text-(--light) contrast:text-text dark:not-contrast:text-(--dark)"
      style={readableColors(color)}
    >
      {name}
    </span>
  );
}
