import type { Channel, Message, Role } from "@fanfare/contract";
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { textOf } from "@fanfare/contract/cards";
import { useLocation } from "wouter";
import { LIMITS } from "@fanfare/contract/limits";
import { MEMBER_PERMISSIONS } from "@fanfare/contract/permissions";
import { useChannelMessages } from "../../../data/channel-messages.ts";
import { errorText } from "../../../shared/use-action.ts";
import { EmptyState, ErrorNote, showFailure } from "../../../ui/feedback.tsx";
import { useOpenProfile } from "../../../people/members/people-store.tsx";
import { MentionsProvider } from "../item/message-card.tsx";
import { useAuthor } from "../item/use-author.ts";
import { MessagePreview } from "../item/message-preview.tsx";
import { MessageSkeleton } from "./list-head.tsx";
import { MessageContext, type MessageDialog, type MessageContextValue } from "./use-rows.ts";
import { MessageScroller } from "./message-scroller.tsx";
import { lazy } from "../../../shared/later.tsx";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useMember } from "../../../data/members.ts";
import { useChannelPermissions, usePlainChannel, useRoles } from "../../../data/groups.ts";
import { placePath } from "../../../routes.ts";
import { useSame } from "../../../shared/hooks.ts";
import { lex, plainText } from "../markdown/lex.ts";

const MessageDialogs = lazy(async () => (await import("./message-dialogs.tsx")).MessageDialogs);

/** Limits what a screen reader announces at once. */
const MAX_READ = 3;
/** More often, announcements would only interrupt each other. */
const ANNOUNCE_AFTER_MS = 500;

const WIDTHS = ["w-3/5", "w-2/5", "w-1/2", "w-4/5", "w-1/3", "w-3/4", "w-2/3"];

export interface MessageListProps {
  channel: Channel;
  /** The channel's name. */
  title: string;
  /** Above the first message, at most 176 px high. Defaults to the channel's name and topic. */
  beginning?: ReactNode;
  /** A message to jump to. `onJumped` is called once the jump has started. */
  jumpToId?: string | undefined;
  onJumped?: () => void;
  /** Esc on a message moves the focus to the composer. */
  onLeave?: () => void;
}

/** The messages of a channel, direct message or thread. Use the channel's ID as the key. */
export function MessageList(props: MessageListProps) {
  const { channel } = props;
  const onUser = useOpenProfile(channel.groupId);
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
        <Suspense>
          {dialog !== null && <MessageDialogs dialog={dialog} onClose={() => setDialog(null)} />}
        </Suspense>
        <Announcer messages={snapshot.messages} ownId={context.ownId} />
      </MentionsProvider>
    </MessageContext>
  );
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

/** Announces new messages of others to screen readers, but not history that is loaded. */
function Announcer({ messages, ownId }: { messages: readonly Message[]; ownId: string }) {
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
      {t("announce", { name })} <MessagePreview message={message} />
    </p>
  );
}

const NO_IDS: readonly string[] = [];
const NO_ROLES: readonly Role[] = [];

type Options = Pick<MessageContextValue, "channel" | "view" | "jumpTo" | "ask" | "setReacting" | "onUser">;

function useMessageContextValue(options: Options): MessageContextValue {
  // All messages of the list are rendered again when it changes.
  const channel = usePlainChannel(options.channel);
  const ownId = useServerCache().client.user?.id ?? "";
  // Otherwise keys, swipes and clicks on reactions would do nothing until they are loaded.
  const permissions = useChannelPermissions(channel, MEMBER_PERMISSIONS);
  const { groupId } = channel;
  const enabled = groupId !== null;
  const { data: roles = NO_ROLES } = useRoles(groupId ?? "", { enabled });
  const coloredRoles = useMemo(() => roles.filter(({ color }) => color !== null), [roles]);
  const { data: member } = useMember(groupId ?? "", ownId, { enabled });
  const ownRoleIds = member?.roleIds ?? NO_IDS;
  const mentionsMe = useCallback(
    ({ mentions, authorId }: Message): boolean => {
      if (mentions === undefined || authorId === ownId) return false;
      if (mentions.everyone || mentions.userIds.includes(ownId)) return true;
      return mentions.roleIds.some((id) => ownRoleIds.includes(id));
    },
    [ownId, ownRoleIds],
  );
  const openThread = useOpenThread(channel);
  return useSame({ ...options, channel, permissions, ownId, coloredRoles, mentionsMe, openThread });
}

function useOpenThread({ id: channelId, groupId }: Channel): (message: Message) => void {
  const call = useCall();
  const [, navigate] = useLocation();
  return useCallback(
    (message) => {
      const open = (thread: string) =>
        navigate(placePath(groupId, channelId, { thread }), { state: { fromChannel: true } });
      if (message.threadId !== undefined) return open(message.threadId);
      const name = threadNameOf(message);
      const named = name === "" ? {} : { name };
      call("channel.openThread", { channelId, messageId: message.id, ...named }).then(
        ({ channel }) => open(channel.id),
        showFailure,
      );
    },
    [call, navigate, channelId, groupId],
  );
}

/** Enough to recognize the thread, and short enough for a list. */
const MAX_CHARS = Math.min(60, LIMITS.channelNameMaxChars);
/** Mentions are left out because names can change. */
const TOKEN = /<(?:@&?|#)[0-9a-f]{24}>/g;

/** Control characters and bidirectional overrides, which names can't contain. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** The default name of a thread: the beginning of its root message; empty if the message has no text. */
export function threadNameOf(message: Pick<Message, "attachments" | "cards" | "content">): string {
  const { content, attachments } = message;
  const said = plainText(lex(content === "" ? textOf(message) : content))
    .replace(TOKEN, "")
    .replace(NOT_IN_NAMES, " ")
    .replace(/\s+/g, " ")
    .trim();
  const text = said === "" ? (attachments?.[0]?.name ?? "") : said;
  if (text.length <= MAX_CHARS) return text;
  // Drops half a surrogate pair at the end.
  const cut = text.slice(0, MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.trimEnd()}…`;
}
