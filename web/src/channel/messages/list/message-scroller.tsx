import type { ChannelSnapshot } from "@fanfare/client";
import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Hash, type LucideIcon, MessageSquareText, Users, Volume2 } from "lucide-react";
import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type CustomItemComponentProps, Virtualizer } from "virtua";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { hasMessages } from "../../../data/groups.ts";
import { useReadMarker } from "../../../data/open-channels.ts";
import { cx } from "../../../ui/cx.ts";
import { useFirstShown } from "../../../shared/first-shown.ts";
import { useIsShown } from "../../../shared/hooks.ts";
import { later } from "../../../shared/later.tsx";
import { useConversation } from "../conversation.ts";
import { useMessageActions } from "../item/use-message-actions.ts";
import { HEAD_HEIGHT_PX, JumpToNewest, JumpToUnread, ListHead } from "./list-head.tsx";
import { ListRow, type ListRowProps } from "./list-row.tsx";
import { useMessageContext, usePageLoading, useRows } from "./use-rows.ts";
import type { MessageListProps } from "./message-list.tsx";
import { MessageMenu, SwipeToReply, useSelection } from "./list-gestures.tsx";
import type { Row } from "./rows.ts";
import { useJump, type MessageKey, useListKeys } from "./list-navigation.ts";
import { END_HEIGHT_PX, useScroll } from "./use-scroll.ts";
import { useUnreadMark } from "./unread-mark.ts";

const SelectionBar = later(
  async () => (await import("./selection-bar.tsx")).SelectionBar,
  () => <div className="h-12 shrink-0" />,
);

const ICONS: Record<Channel["kind"], LucideIcon> = {
  text: Hash,
  voice: Volume2,
  section: Hash,
  thread: MessageSquareText,
  direct: Users,
  groupDirect: Users,
};

/** Rows are rendered this far outside of the view, once those in the view are shown. */
const BUFFER_PX = 400;

interface MessageScrollerProps extends MessageListProps {
  messages: ChannelMessages;
  wanted: { messageId: string } | null;
  reactingId: string | null;
}

/** A virtual list that only renders the visible messages. */
export function MessageScroller(props: MessageScrollerProps) {
  const { channel, title, beginning, jumpToId, onJumped, onLeave } = props;
  const { messages: channelMessages, wanted, reactingId } = props;
  const { t } = useTranslation("messages");
  const { view, snapshot, messages, isLive, hasOlder, jumpToNewest, releaseOlder } = channelMessages;
  const { ownId, setReacting } = useMessageContext();
  const { editingId } = useConversation(channel.id);
  const elementOf = useElements();
  const isShown = useIsShown();
  useFirstShown(isShown);
  const unread = useUnreadMark(view, snapshot);
  const rows = useRows(channelMessages, unread.readUpTo);
  const { selected, ...selection } = useSelection(channel.id, messages, rows.rows);
  const pages = usePageLoading(channelMessages);
  const { frame, list, ...scroll } = useScroll({
    rows,
    isUnreadKnown: unread.count !== null,
    isLive,
    loadOlder: pages.loadOlder,
    loadNewer: pages.loadNewer,
  });
  const { highlightedId, jump, ...jumping } = useJump(channelMessages, rows, scroll.toRow);
  const isAtEnd = scroll.isAtEnd && isLive;
  const newCount = useNewCount(snapshot, ownId, isAtEnd);
  const seqInView = () => {
    const index = scroll.lastInView();
    return index === Infinity && isLive ? snapshot.head.seq : lastSeq(rows.rows, index);
  };
  const marks = unread.count !== null && !unread.isKept;
  const markSoon = useReadMarker(view, marks ? seqInView : null, snapshot.markedUnread);

  useEffect(() => {
    if (wanted !== null) jump(wanted);
  }, [wanted, jump]);
  useEffect(() => {
    if (jumpToId === undefined) return;
    jump({ messageId: jumpToId });
    onJumped?.();
  }, [jumpToId, jump, onJumped]);
  const onDate = useCallback((day: Date) => jump({ atTime: day.toISOString() }), [jump]);

  const goToEnd = () => {
    jumping.cancel();
    scroll.toEnd();
    jumpToNewest();
  };
  // Sending a message scrolls to it.
  const sent = useRef(snapshot.pending.length);
  useEffect(() => {
    if (snapshot.pending.length > sent.current) goToEnd();
    sent.current = snapshot.pending.length;
  });

  const actionsFor = useMessageActions();
  const messageOf = (messageId: string) => messages.find(({ id }) => id === messageId);
  const replyTo = (messageId: string) => {
    const message = messageOf(messageId);
    return message && messageId !== editingId ? actionsFor(message).reply : undefined;
  };
  const onKey = (messageId: string, key: MessageKey) => {
    const message = messageOf(messageId);
    if (message === undefined) return;
    const { copyText: copy, react, ...actions } = actionsFor(message);
    if (key === "react") return react ? setReacting(messageId) : undefined;
    ({ ...actions, copy })[key]?.();
  };
  const keys = useListKeys({
    rows: rows.rows,
    show: (index) => scroll.toRow(index, "nearest"),
    onKey,
    onLeave: () => (selected === null ? onLeave?.() : selection.end()),
  });

  const activeIndex = rows.rows.findLastIndex(({ key }) => key === keys.activeId);
  // At the end, the last row is mounted anyway; before it is measured, it would be mounted at another place.
  const isKept = activeIndex >= 0 && !(scroll.isAtEnd && activeIndex === rows.rows.length - 1);
  const unreadIndex = rows.rows.findIndex(({ kind }) => kind === "unread");
  const unreadCount = unread.count ?? 0;
  const isUnreadAway =
    unreadCount > 0 && unreadIndex < 0 && (messages[0]?.seq ?? 0) > (unread.readUpTo ?? 0) + 1;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {isUnreadAway && (
        <JumpToUnread
          count={unreadCount}
          onJump={() => jump({ seq: (unread.readUpTo ?? 0) + 1 })}
          onDismiss={unread.dismiss}
        />
      )}
      <MessageMenu messageOf={messageOf}>
        <div
          ref={frame}
          role="log"
          // The Announcer reads new messages; here, messages also appear by scrolling.
          aria-live="off"
          aria-label={t("listLabel", { title })}
          className={cx(
            "virtual-frame flex min-h-0 flex-1 flex-col overflow-x-hidden overflow-y-auto [overflow-anchor:none] swipe-x",
            selected !== null && "select-none",
          )}
          onClickCapture={selection.onClickCapture}
          onKeyDown={keys.onKeyDown}
          onFocus={keys.onFocus}
        >
          <div className="grow" />
          <ListHead
            hasOlder={hasOlder}
            isAway={scroll.isAtEnd}
            error={pages.error}
            onRetry={pages.retry}
            beginning={beginning ?? <Beginning channel={channel} title={title} />}
          />
          <Virtualizer
            key={rows.place}
            ref={list}
            scrollRef={frame}
            startMargin={HEAD_HEIGHT_PX}
            data={rows.rows}
            shift={rows.isShift}
            bufferSize={isShown ? BUFFER_PX : 0}
            item={Item}
            keepMounted={isKept ? [activeIndex] : []}
            onScroll={scroll.onScroll}
            onScrollEnd={() => {
              markSoon();
              if (isAtEnd && !jumping.isLanding() && !scroll.isHeld()) releaseOlder();
            }}
            onResize={scroll.onResize}
          >
            {(row) =>
              elementOf({
                row,
                isActive: row.key === keys.activeId,
                isEditing: row.key === editingId,
                isHighlighted: row.key === highlightedId,
                isReacting: row.key === reactingId,
                isSelected: selected === null ? null : selected.has(row.key),
                isUnfolded: row.kind === "blocked" && rows.unfoldedIds.has(row.firstId),
                onUnfold: rows.unfold,
                onDate,
              })
            }
          </Virtualizer>
          {/* Not a row: it would be measured again after each message, since its index changes. */}
          <div className="shrink-0" style={{ height: END_HEIGHT_PX }} />
        </div>
      </MessageMenu>
      <SwipeToReply list={frame} replyTo={replyTo} />
      {!isAtEnd && selected === null && <JumpToNewest count={newCount} onJump={goToEnd} />}
      {selected !== null && <SelectionBar selected={selected} onEnd={selection.end} />}
    </div>
  );
}

/**
 * An element of the virtual list, which hides it until it is measured. Not by `visibility`: its content inherits that, and its style would be
 * computed again.
 */
function Item({ style: { visibility, ...style }, ref, children }: CustomItemComponentProps) {
  return (
    <div ref={ref} style={{ ...style, opacity: visibility === "hidden" ? 0 : undefined }}>
      {children}
    </div>
  );
}

/** Keeps the element of a row while its props are the same, so that the virtual list renders nothing of it again. */
function useElements(): (props: ListRowProps) => ReactElement<ListRowProps> {
  const [elements] = useState(() => new WeakMap<Row, ReactElement<ListRowProps>>());
  return (props) => {
    const before = elements.get(props.row);
    const names = Object.keys(props) as (keyof ListRowProps)[];
    if (before !== undefined && names.every((name) => props[name] === before.props[name])) return before;
    const element = <ListRow key={props.row.key} {...props} />;
    elements.set(props.row, element);
    return element;
  };
}

/** The seq of the last message up to a row; 0 if there is none. */
function lastSeq(rows: readonly Row[], index: number): number {
  const row = rows.slice(0, index + 1).findLast(({ kind }) => kind === "message");
  return row?.kind === "message" ? row.message.seq : 0;
}

/** How many messages others have sent since the end of the channel was last visible. */
function useNewCount({ head, messages }: ChannelSnapshot, ownId: string, isAtEnd: boolean): number {
  const [seenSeq, setSeenSeq] = useState(head.seq);
  if (isAtEnd && seenSeq !== head.seq) setSeenSeq(head.seq);
  if (isAtEnd) return 0;
  const first = messages.findLastIndex(({ seq }) => seq <= seenSeq) + 1;
  return messages.slice(first).filter(({ authorId, deletedAt }) => authorId !== ownId && deletedAt === null)
    .length;
}

function Beginning({ channel, title }: { channel: Channel; title: string }) {
  const { t } = useTranslation("messages");
  const canSend = hasPermission(useMessageContext().permissions, "sendMessages");
  const Icon = ICONS[channel.kind];
  const isRoom = hasMessages(channel);
  // Its name and first message are above the list.
  if (channel.kind === "thread") return <p className="pb-2 text-sm text-muted">{t("beginning.other")}</p>;
  return (
    <div className="grid gap-1 pb-2">
      <span className="mb-1 flex size-12 items-center justify-center rounded-full bg-accent-soft text-accent-text">
        <Icon size={24} aria-hidden />
      </span>
      <p className="line-clamp-3 text-xl font-semibold wrap-anywhere">
        {isRoom ? t("beginning.welcome", { name: title }) : title}
      </p>
      <p className="line-clamp-2 text-muted">
        {channel.topic !== ""
          ? channel.topic
          : isRoom
            ? canSend
              ? t("beginning.text", { name: title })
              : t("beginning.textReadOnly", { name: title })
            : t("beginning.other")}
      </p>
    </div>
  );
}
