import type { Message } from "@fanfare/contract";
import { hasPermission, MEMBER_PERMISSIONS } from "@fanfare/contract/permissions";
import { ArrowUpLeft, Bookmark, BookmarkX, type LucideIcon, Reply, SmilePlus } from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { EmojiPopover } from "../channel/emoji/emoji-popover.tsx";
import { EmojiSign } from "../channel/emoji/emoji-sign.tsx";
import { MentionsProvider, MessageCard } from "../channel/messages/item/message-card.tsx";
import { useAuthor } from "../channel/messages/item/use-author.ts";
import { useToggleSaved } from "../channel/messages/item/use-message-actions.ts";
import { MarkdownContext } from "../channel/messages/markdown/markdown.tsx";
import { setReplyTo, useConversation } from "../channel/messages/conversation.ts";
import { useComposerState } from "../composer/composer.tsx";
import { useChannelPermissions, useGroup } from "../data/groups.ts";
import { useSaved } from "../data/inbox.ts";
import { useOwnReactions, useToggleReaction } from "../data/own-reactions.ts";
import { dotted } from "../shared/formats.ts";
import { moveFocusByArrows, useHandler } from "../shared/hooks.ts";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { showFailure } from "../ui/feedback.tsx";
import { useIsPhone, useMedia } from "../ui/hooks.ts";
import { focusRow, useFocusAfterRemoval, useInboxStore, useInboxView } from "./inbox-view.ts";
import { ReplyBox, ReplyState } from "./reply-box.tsx";
import { useMessagePlace } from "./use-message-place.ts";

/** The action that takes the message off the list, such as marking it as read. */
interface Done {
  label: string;
  icon: LucideIcon;
  run: () => void;
}

interface MessageEntryProps {
  message: Message;
  groupId: string | null;
  isStrong: boolean;
  /** Why it is listed, for screen readers. */
  reason: string;
  done?: Done | undefined;
  /** Whether it can be saved for later, or removed from there. Default: true */
  canSave?: boolean;
  /** Next to those that all messages have. */
  actions?: ReactNode;
  /** Before the message's place. */
  children: ReactNode;
}

/** Moves between the entries below it by the arrow keys. */
export function Entries({ children }: { children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  const focusHandlers = useFocusAfterRemoval(list);
  return (
    <div ref={list} role="presentation" onKeyDown={moveFocusByArrows} {...focusHandlers}>
      {children}
    </div>
  );
}

/**
 * A message with its place, which can be answered from the list. A click jumps to it. The arrow keys move between entries; letters run
 * the actions of the focused one, as in a channel.
 */
export function MessageEntry({ message, groupId, isStrong, reason, ...rest }: MessageEntryProps) {
  const { done, canSave = true, actions, children } = rest;
  const { t } = useTranslation("inbox");
  const { id: messageId, channelId } = message;
  const rowId = `entry-${messageId}`;
  const textId = `${rowId}-text`;
  const store = useInboxStore();
  const sent = useInboxView(({ replies }) => replies[messageId]);
  const [isReacting, setReacting] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const toggle = useToggleReaction();
  const isSaved = useSaved().data?.[messageId] !== undefined;
  const isPhone = useIsPhone();
  const isTouch = useMedia("(pointer: coarse)");
  // Only where they can be used: they cost more than the message.
  const hasTools = isPhone || isTouch || isPointed || hasFocus || isReacting;
  const author = useAuthor(message);
  const group = useGroup(groupId ?? "");
  const { path, channel } = useMessagePlace(message);
  const inChannel = { id: channelId, groupId, parentId: channel?.parentId ?? null };
  const permissions = useChannelPermissions(inChannel, MEMBER_PERMISSIONS);
  const isMuted = useComposerState(inChannel).kind === "muted";
  const canReply = channel !== undefined && !isMuted && hasPermission(permissions, "sendMessages");
  const canReact = !isMuted && hasPermission(permissions, "addReactions");
  const isReplying = useInboxView(({ replyingTo }) => replyingTo === messageId);
  const wasReplying = useRef(isReplying);
  const isInComposer = useConversation(channelId).replyTo?.id === messageId;
  useLayoutEffect(() => {
    // The reply was sent or canceled.
    if (isReplying && !isInComposer) store.setState({ replyingTo: null });
    if (!isReplying && wasReplying.current && document.activeElement === document.body) focusRow(rowId);
    wasReplying.current = isReplying;
  }, [isReplying, isInComposer, store, rowId]);
  const [, navigate] = useLocation();
  const place = dotted([
    group?.name ?? (groupId === null && t("quick-switcher:kind.direct")),
    channel !== undefined && channel.name !== "" && `#${channel.name}`,
  ]);

  const jump = () => {
    if (path !== null) navigate(path);
  };
  const reply = () => {
    setReplyTo(channelId, message);
    store.setState({ replyingTo: messageId });
  };
  const keepReply = useHandler((nonce: string) =>
    store.setState(({ replies }) => ({ replies: { ...replies, [messageId]: nonce } })),
  );
  const toggleSaved = useToggleSaved();

  const keys: Record<string, () => void> = {
    Enter: jump,
    ...(canReply && { r: reply }),
    ...(canReact && { "+": () => setReacting(true) }),
    ...(canSave && { s: () => toggleSaved(message) }),
    ...(done !== undefined && { e: done.run }),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, currentTarget, ctrlKey, metaKey, altKey, repeat } = event;
    const run = keys[key];
    if (target !== currentTarget || run === undefined) return;
    if (ctrlKey || metaKey || altKey || repeat) return;
    event.preventDefault();
    run();
  };
  const onClick = ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
    const isOwn =
      !(target instanceof Element) ||
      !currentTarget.contains(target) ||
      target.closest("a,button,video,input") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };

  const finish = ({ detail }: MouseEvent) => {
    // The second click of a double click would hit the next message.
    if (detail > 1) return;
    // The button can be removed.
    focusRow(rowId);
    done?.run();
  };
  const tools = hasTools && (
    <>
      {canReact && (
        <EmojiPopover
          groupId={groupId}
          label={t("messages:reaction.choose")}
          trigger={<IconButton icon={SmilePlus} size="sm" label={t("messages:action.react")} keys={["+"]} />}
          open={isReacting}
          onOpenChange={setReacting}
          onPick={(emoji) => {
            toggle(message, emoji, false).catch(showFailure);
          }}
        />
      )}
      {canReply && (
        <IconButton icon={Reply} size="sm" label={t("messages:action.reply")} keys={["R"]} onClick={reply} />
      )}
      {canSave && (
        <IconButton
          icon={isSaved ? BookmarkX : Bookmark}
          size="sm"
          label={t(isSaved ? "messages:action.unsave" : "messages:action.save")}
          keys={["S"]}
          onClick={() => toggleSaved(message)}
        />
      )}
      {actions}
      {done !== undefined && (
        <IconButton icon={done.icon} size="sm" label={done.label} keys={["E"]} onClick={finish} />
      )}
      <IconButton
        icon={ArrowUpLeft}
        size="sm"
        label={t("search:jump")}
        disabled={path === null}
        onClick={jump}
      />
    </>
  );
  return (
    <div className="grid gap-1">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons do the same */}
      <div
        id={rowId}
        data-walk
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a stop of the arrow keys
        tabIndex={0}
        role="group"
        aria-label={dotted([reason, author.name, place])}
        aria-describedby={textId}
        aria-keyshortcuts={Object.keys(keys).join(" ").replace("+", "Plus")}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onFocus={() => setHasFocus(true)}
        onBlur={({ currentTarget, relatedTarget }) =>
          // While another window is used, an element keeps the focus.
          setHasFocus(currentTarget.contains(relatedTarget ?? document.activeElement))
        }
        onPointerEnter={({ pointerType }) => setPointed(pointerType === "mouse")}
        onPointerLeave={() => setPointed(false)}
        className={cx(
          "grid cursor-pointer gap-1 rounded-e-md border-s-3 ps-3 *:transition-colors hover:*:[article]:border-line-strong",
          isStrong ? "border-accent" : "border-line",
        )}
      >
        <div className="flex min-w-0 items-center gap-2 text-sm text-muted">
          {children}
          <span className="min-w-0 truncate">{place}</span>
        </div>
        <MentionsProvider groupId={groupId}>
          <MessageCard message={message} textId={textId} actions={isPhone || !hasTools ? undefined : tools}>
            <ReactionChips message={message} canReact={canReact} />
            {isPhone && <div className="-mx-1 -mb-1.5 flex justify-between">{tools}</div>}
          </MessageCard>
        </MentionsProvider>
      </div>
      {isReplying && channel !== undefined && <ReplyBox channel={channel} onSent={keepReply} />}
      {!isReplying && sent !== undefined && <ReplyState nonce={sent} message={message} path={path} />}
    </div>
  );
}

function ReactionChips({ message, canReact }: { message: Message; canReact: boolean }) {
  const { t } = useTranslation("inbox");
  const { emoji: ownEmoji } = useContext(MarkdownContext);
  const own = useOwnReactions(message);
  const toggle = useToggleReaction();
  const { reactions = [] } = message;
  if (reactions.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-1 pt-0.5">
      {reactions.map(({ emoji, count }) => {
        const isOwn = own.includes(emoji);
        return (
          <button
            key={emoji}
            type="button"
            aria-pressed={isOwn}
            disabled={!canReact && !isOwn}
            aria-label={t("messages:reaction.label", { emoji, count })}
            className={cx(
              "inline-flex min-h-6 items-center gap-1.5 rounded-full border px-2 text-xs tabular-nums transition-colors touch:min-h-9",
              isOwn
                ? "border-accent bg-accent-soft font-medium text-accent-text"
                : "border-line bg-canvas text-muted hover:not-disabled:border-line-strong hover:not-disabled:text-text",
            )}
            onClick={() => void toggle(message, emoji, isOwn).catch(showFailure)}
          >
            <span className="font-emoji text-base leading-none">
              <EmojiSign emoji={emoji} own={ownEmoji} />
            </span>
            {count}
          </button>
        );
      })}
    </div>
  );
}
