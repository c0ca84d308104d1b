import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { useTranslation } from "react-i18next";
import { CornerUpRight } from "lucide-react";
import { Link } from "wouter";
import type { Token, Tokens } from "marked";
import { callText } from "../../../calls/call-text.ts";
import { useMe } from "../../../data/me.ts";
import { MarkdownPreview } from "../markdown/markdown.tsx";
import { useMessage } from "../../../data/channel-messages.ts";
import { Avatar } from "../../../ui/display.tsx";
import { useMessageContext } from "../list/use-rows.ts";
import { useAuthor } from "./use-author.ts";
import { useChannelState } from "../../../data/groups.ts";
import { dayAndTime } from "../../../shared/times.ts";
import { parsePlace } from "../../../routes.ts";
import { lex } from "../markdown/lex.ts";

/** A message in one line: its text, or what it has instead. */
export function MessagePreview({
  message,
}: {
  message: Pick<Message, "authorId" | "call" | "cards" | "content" | "sticker">;
}) {
  const { t } = useTranslation("messages");
  const { call, sticker } = message;
  const me = useMe();
  if (call !== undefined) return callText(call, message.authorId === me.id);
  if (sticker !== undefined) return t(`sticker.${sticker.kind}`, { name: message.content });
  const text = textOf(message);
  return text === "" ? t("reply.attachment") : <MarkdownPreview content={text} />;
}

/** The message that another one replies to. A click jumps to it. */
export function ReplyPreview({ messageId }: { messageId: string }) {
  const { view } = useMessageContext();
  const existing = view.snapshot.messages.find(({ id }) => id === messageId);
  if (existing !== undefined) return <ReplyLink message={existing} />;
  return <FetchedReply messageId={messageId} />;
}

function FetchedReply({ messageId }: { messageId: string }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  const { data: message, isError } = useMessage(view.channelId, messageId);
  if (message !== undefined) return <ReplyLink message={message} />;
  return <Line>{isError ? t("reply.deleted") : "…"}</Line>;
}

function ReplyLink({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { jumpTo } = useMessageContext();
  const author = useAuthor(message);
  if (message.deletedAt !== null) return <Line>{t("reply.deleted")}</Line>;
  return (
    <button
      type="button"
      className="flex max-w-full items-center gap-1.5 text-start text-sm text-muted hover:text-text"
      onClick={() => jumpTo(message.id)}
    >
      <CornerUpRight size={14} aria-hidden className="shrink-0" />
      <span className="sr-only">{t("reply.to")} </span>
      <Avatar name={author.name} id={message.authorId} src={author.avatarUrl} size={16} />
      <span className="shrink-0 font-medium">{author.name}</span>
      <span dir="auto" className="truncate">
        <MessagePreview message={message} />
      </span>
    </button>
  );
}

function Line({ children }: { children: string }) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-muted italic">
      <CornerUpRight size={14} aria-hidden />
      {children}
    </p>
  );
}

/** Previews of the messages that a text links to, for those who can see them. */
export function LinkedMessages({ content }: { content: string }) {
  const links = messageLinks(content, location.origin);
  if (links.length === 0) return null;
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {links.map((link) => (
        <LinkedMessage key={link.messageId} link={link} />
      ))}
    </div>
  );
}

/** Its height is fixed, so that nothing moves when the message is loaded. */
function LinkedMessage({ link: { channelId, messageId, path } }: { link: MessageLink }) {
  const { t } = useTranslation("messages");
  const { data: message, isError } = useMessage(channelId, messageId);
  const isGone = isError || (message !== undefined && message.deletedAt !== null);
  return (
    <Link
      href={path}
      className="grid h-20 w-full max-w-110 content-start gap-1 overflow-hidden rounded-md border border-line border-s-4 border-s-line-strong bg-raised px-3 py-2 text-sm hover:bg-hover"
    >
      {isGone && <span className="text-muted">{t("linkedUnavailable")}</span>}
      {message !== undefined && !isGone && <LinkedContent message={message} />}
    </Link>
  );
}

function LinkedContent({ message }: { message: Message }) {
  const author = useAuthor(message);
  const { data: channel } = useChannelState(message.channelId);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={author.name} id={message.authorId} src={author.avatarUrl} size={20} />
        <span className="truncate font-semibold">{author.name}</span>
        <span className="min-w-0 shrink-[2] truncate text-xs text-muted">
          {channel !== undefined && channel.name !== "" && `#${channel.name} · `}
          {dayAndTime(message.createdAt)}
        </span>
      </span>
      <span className="line-clamp-2 wrap-anywhere">
        <MessagePreview message={message} />
      </span>
    </>
  );
}

/** Links to further messages have no preview. */
export const MAX_LINKED = 5;
const PLACE = /^\/(?:groups\/[0-9a-f]{24}\/channels|direct)\/([0-9a-f]{24})$/;

interface MessageLink {
  /** A thread, or the channel. */
  channelId: string;
  messageId: string;
  path: string;
}

/** The messages of this instance that a text links to, once each. Not those in code, or in quotes, which have the text already. */
export function messageLinks(content: string, origin: string): MessageLink[] {
  if (!content.includes(`${origin}/`)) return [];
  const found = new Map<string, MessageLink>();
  for (const href of hrefsIn(lex(content))) {
    const url = URL.parse(href);
    const [, channelId] = (url?.origin === origin && PLACE.exec(url.pathname)) || [];
    if (url === null || channelId === undefined) continue;
    const { message: messageId, thread } = parsePlace(url.search);
    if (messageId === undefined) continue;
    found.set(messageId, { channelId: thread ?? channelId, messageId, path: url.pathname + url.search });
  }
  return [...found.values()].slice(0, MAX_LINKED);
}

function hrefsIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const { type, href, tokens: children = [], items = [] } = token as Tokens.Generic & { items?: Token[] };
    if (type === "blockquote") return [];
    return type === "link" ? [String(href)] : hrefsIn([...children, ...items]);
  });
}
