import type { ChannelState, Message } from "@fanfare/contract";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useChannelMessages } from "../../../data/channel-messages.ts";
import { usePagedQuery } from "../../../data/data-context.ts";
import { errorText } from "../../../shared/use-action.ts";
import { PagedList } from "../../../shared/paged-list.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { EmptyState, ErrorNote, SkeletonRows } from "../../../ui/feedback.tsx";
import { useOpenProfile } from "../../../people/members/people-store.tsx";
import { MentionsProvider } from "../item/message-card.tsx";
import { useAuthor } from "../item/use-author.ts";
import { Markdown, MarkdownPreview } from "../markdown/markdown.tsx";
import { formatTime } from "../../../shared/times.ts";
import { useUser } from "../../../data/people.ts";
import { Avatar } from "../../../ui/display.tsx";
import { MessageSkeleton } from "./list-head.tsx";
import { MessageContext, type MessageDialog, type OnUser, useMessageContext } from "./use-rows.ts";
import { MessageScroller } from "./message-scroller.tsx";
import { useMessageContextValue } from "./use-message-context.ts";

/** Limits what a screen reader announces at once. */
const MAX_READ = 3;
/** More often, announcements would only interrupt each other. */
const ANNOUNCE_AFTER_MS = 500;

const WIDTHS = ["w-3/5", "w-2/5", "w-1/2", "w-4/5", "w-1/3", "w-3/4", "w-2/3"];

export interface MessageListProps {
  channel: ChannelState;
  /** The channel's name. */
  title: string;
  /** Above the first message, at most 176 px high. Defaults to the channel's name and topic. */
  beginning?: ReactNode;
  /** A message to jump to. `onJumped` is called once the jump has started. */
  jumpToId?: string | undefined;
  onJumped?: () => void;
  /** Esc on a message moves the focus to the composer. */
  onLeave?: () => void;
  /** Called when a name is clicked; opens the user's card by default. Must be stable. */
  onUser?: OnUser;
}

/** The messages of a channel, direct message or thread. Use the channel's ID as the key. */
export function MessageList(props: MessageListProps) {
  const { channel } = props;
  const openProfile = useOpenProfile(channel.groupId);
  const onUser = props.onUser ?? openProfile;
  const { t } = useTranslation("messages");
  const messages = useChannelMessages(channel.id);
  const { view, snapshot, error, retry } = messages;
  const [dialog, setDialog] = useState<MessageDialog | null>(null);
  const [reactingId, setReactingId] = useState<string | null>(null);
  /** The target of a jump that started within the list. */
  const [wanted, setWanted] = useState<{ messageId: string } | null>(null);
  const jumpTo = useCallback((messageId: string) => setWanted({ messageId }), []);
  const context = useMessageContextValue({
    channel,
    view,
    jumpTo,
    ask: setDialog,
    setReacting: setReactingId,
    onUser,
  });

  if (snapshot.status === "gone")
    return <EmptyState title={t("unavailable.title")} text={t("unavailable.text")} />;
  if (snapshot.status === "loading") {
    if (error === null) return <Loading />;
    return (
      <div className="m-auto w-full max-w-md p-4">
        <ErrorNote text={errorText(error)} onRetry={retry} />
      </div>
    );
  }
  return (
    <MessageContext value={context}>
      <MentionsProvider groupId={channel.groupId} onUser={onUser}>
        <MessageScroller {...props} messages={messages} wanted={wanted} reactingId={reactingId} />
        <MessageDialogs dialog={dialog} onClose={() => setDialog(null)} />
        <Announcer messages={snapshot.messages} ownId={context.ownId} />
      </MentionsProvider>
    </MessageContext>
  );
}

function MessageDialogs({ dialog, onClose }: { dialog: MessageDialog | null; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  if (dialog === null) return null;
  const { message } = dialog;
  switch (dialog.kind) {
    case "delete":
      return (
        <ConfirmDialog
          danger
          onClose={onClose}
          title={t("delete.title")}
          action={t("delete.action")}
          onConfirm={() => view.delete(message.id)}
        >
          <p>{t("delete.text")}</p>
          <blockquote className="mt-2 line-clamp-3 border-l-3 border-line-strong pl-3 wrap-anywhere">
            <MarkdownPreview content={message.content} />
          </blockquote>
        </ConfirmDialog>
      );
    case "history":
      return <HistoryDialog message={message} onClose={onClose} />;
    case "reactors":
      return <ReactorsDialog message={message} emoji={dialog.emoji} onClose={onClose} />;
  }
}

function Loading() {
  const { t } = useTranslation("messages");
  return (
    <div role="status" className="column flex min-h-0 flex-1 flex-col justify-end gap-3 overflow-hidden pb-4">
      <span className="sr-only">{t("ui:loading")}</span>
      {WIDTHS.map((width) => (
        <MessageSkeleton key={width} width={width} />
      ))}
    </div>
  );
}

function HistoryDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { id: messageId, channelId, content, editedAt } = message;
  const pages = usePagedQuery(
    "message.listEdits",
    { channelId, messageId },
    "edits",
    "before",
    ({ edits, hasMore }) => (hasMore ? edits.at(-1)?.version : null),
  );
  return (
    <Dialog onClose={onClose} title={t("history.title")} size="lg">
      <ol className="grid gap-4">
        <Version content={content} time={editedAt ?? message.createdAt} note={t("history.current")} />
      </ol>
      <PagedList pages={pages} items={pages.data ?? []} placeholder={<SkeletonRows count={2} />}>
        {(edits) => (
          <ol className="grid gap-4" start={2}>
            {edits.map(({ version, content: text, writtenAt }) => (
              <Version key={version} content={text} time={writtenAt} />
            ))}
          </ol>
        )}
      </PagedList>
    </Dialog>
  );
}

function Version({ content, time, note }: { content: string; time: string; note?: string }) {
  return (
    <li className="grid gap-1">
      <p className="text-sm text-muted">
        <time dateTime={time}>{formatTime(time, "full")}</time>
        {note !== undefined && ` · ${note}`}
      </p>
      <div className="rounded-md border border-line px-3 py-2">
        <Markdown content={content} />
      </div>
    </li>
  );
}

interface AnnouncerProps {
  messages: readonly Message[];
  ownId: string;
}

/** Announces new messages of others to screen readers, but not history that is loaded. */
function Announcer({ messages, ownId }: AnnouncerProps) {
  const lastSeq = messages.at(-1)?.seq ?? 0;
  const heardSeq = useRef<number | null>(null);
  const unread = useRef<Message[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const [news, setNews] = useState<readonly Message[]>([]);
  useEffect(() => {
    const heard = heardSeq.current;
    if (lastSeq === 0) return;
    heardSeq.current = lastSeq;
    if (heard === null || lastSeq <= heard) return;
    const fresh = messages.slice(-50).filter(({ seq, authorId }) => seq > heard && authorId !== ownId);
    unread.current = [...unread.current, ...fresh].slice(-MAX_READ);
    if (fresh.length === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = null;
      setNews(unread.current.splice(0));
    }, ANNOUNCE_AFTER_MS);
  }, [messages, lastSeq, ownId]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return (
    <div className="sr-only" aria-live="polite" aria-relevant="additions">
      {news.map((message) => (
        <Announcement key={message.id} message={message} />
      ))}
    </div>
  );
}

function Announcement({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { name } = useAuthor(message);
  return (
    <p>
      {t("announce", { name })} <MarkdownPreview content={message.content} />
    </p>
  );
}

interface ReactorsDialogProps {
  message: Message;
  emoji: string;
  onClose: () => void;
}

function ReactorsDialog({ message, emoji, onClose }: ReactorsDialogProps) {
  const { t } = useTranslation("messages");
  const { channelId, id: messageId } = message;
  const params = { channelId, messageId, emoji, limit: LIMITS.pageMaxItems };
  const pages = usePagedQuery(
    "message.listReactors",
    params,
    "userIds",
    "afterUserId",
    ({ nextUserId }) => nextUserId,
  );
  return (
    <Dialog onClose={onClose} title={t("reaction.usersTitle", { emoji })} size="sm">
      <PagedList pages={pages} items={pages.data ?? []} placeholder={<SkeletonRows count={3} withAvatar />}>
        {(userIds) => (
          <ul className="grid gap-1">
            {userIds.map((userId) => (
              <Reactor key={userId} userId={userId} />
            ))}
          </ul>
        )}
      </PagedList>
    </Dialog>
  );
}

function Reactor({ userId }: { userId: string }) {
  const user = useUser(userId);
  const name = user?.nickname ?? "…";
  return (
    <li className="flex min-h-row items-center gap-2.5">
      <Avatar name={name} id={userId} src={user?.avatarUrl} size={28} />
      <span className="truncate">{name}</span>
    </li>
  );
}
