import { type MouseEvent, type ReactNode, createContext, useContext, useMemo, useState } from "react";
import { keywordPattern } from "@fanfare/contract/notification-rules";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useChannels, useGroupEmoji, useOwnEmoji, useRoles } from "../../../data/groups.ts";
import { useMe } from "../../../data/me.ts";
import { useKeywords } from "../../../data/inbox.ts";
import { callText } from "../../../calls/call-text.ts";
import { useNickname, useNicknames } from "../../../data/members.ts";
import { useUser } from "../../../data/people.ts";
import { channelPath } from "../../../routes.ts";
import { useSame } from "../../../shared/hooks.ts";
import { usePreferences } from "../../../state/preferences.ts";
import { later } from "../../../shared/later.tsx";
import type { OnUser } from "../list/use-rows.ts";
import { MarkdownContext, type MarkdownParts, type MentionProps, Markdown } from "../markdown/markdown.tsx";
import { readableColors, useAuthor } from "./use-author.ts";
import type { Message } from "@fanfare/contract";
import { Avatar } from "../../../ui/display.tsx";
import { dayAndTime, formatTime } from "../../../shared/times.ts";
import { Sticker } from "../../emoji/sticker.tsx";
import { Attachments } from "./attachments.tsx";
import { Cards } from "./cards.tsx";

const LeaveDialog = later(async () => (await import("../../../app/next.ts")).LeaveDialog);

const PlaceContext = createContext<Pick<MentionsProviderProps, "groupId" | "onUser">>({ groupId: null });

interface MentionsProviderProps {
  groupId: string | null;
  onUser?: OnUser | undefined;
  children: ReactNode;
}

/** Resolves mentions and the group's own emoji in the texts below it, and confirms before opening external links. */
export function MentionsProvider({ groupId, onUser, children }: MentionsProviderProps) {
  const [leaving, setLeaving] = useState<URL | null>(null);
  const [, navigate] = useLocation();
  const emoji = useOwnEmoji(groupId);
  const { data: stickers } = useGroupEmoji(groupId);
  const keywords = useKeywords();
  useNicknames(groupId);
  const parts = useMemo<MarkdownParts>(
    () => ({
      emoji,
      stickers,
      User: UserMention,
      Role: RoleMention,
      Channel: ChannelMention,
      keywords: keywordPattern(keywords),
      ownPath: (url) => (url.origin === location.origin ? url.pathname + url.search : null),
      onFollow(event, url) {
        if (isForBrowser(event)) return;
        if (url.origin === location.origin) {
          event.preventDefault();
          navigate(url.pathname + url.search);
        } else if (usePreferences.getState().confirmLinks) {
          event.preventDefault();
          setLeaving(url);
        }
      },
    }),
    [navigate, emoji, stickers, keywords],
  );
  const place = useSame({ groupId, onUser });
  return (
    <PlaceContext value={place}>
      <MarkdownContext value={parts}>
        {children}
        {leaving !== null && <LeaveDialog url={leaving} onClose={() => setLeaving(null)} />}
      </MarkdownContext>
    </PlaceContext>
  );
}

/** Whether the click asks the browser for a new tab or window. */
function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

function UserMention({ id, plain }: MentionProps) {
  const { t } = useTranslation("messages");
  const { onUser, groupId } = useContext(PlaceContext);
  const user = useUser(id);
  const nickname = useNickname(groupId, id);
  const text = `@${user?.deleted === true ? t("members:deleted") : (nickname ?? user?.nickname ?? "…")}`;
  if (plain || onUser === undefined) return <span className="mention">{text}</span>;
  return (
    <button type="button" className="mention" onClick={(event) => onUser(id, event.currentTarget)}>
      {text}
    </button>
  );
}

function RoleMention({ id }: MentionProps) {
  const { t } = useTranslation("messages");
  const { groupId } = useContext(PlaceContext);
  const { data } = useRoles(groupId ?? "", { enabled: groupId !== null });
  const role = data?.find((each) => each.id === id);
  const color = role?.color ?? null;
  return (
    <span
      className={color === null ? "mention" : "mention mention-colored"}
      style={color === null ? undefined : readableColors(color)}
    >
      @{role?.name ?? t("markdown.unknownRole")}
    </span>
  );
}

function ChannelMention({ id, plain }: MentionProps) {
  const { t } = useTranslation("messages");
  const { groupId } = useContext(PlaceContext);
  const { data } = useChannels(groupId ?? "", { enabled: groupId !== null });
  const name = data?.find((each) => each.id === id)?.name;
  const text = `#${name ?? t("markdown.unknownChannel")}`;
  if (plain || name === undefined || groupId === null) return <span className="mention">{text}</span>;
  return (
    <Link className="mention" href={channelPath(groupId, id)}>
      {text}
    </Link>
  );
}

interface MessageCardProps {
  message: Message;
  textId?: string;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A message outside its channel, such as in pins or search results. Must be within a MentionsProvider. */
export function MessageCard({ message, textId, actions, children }: MessageCardProps) {
  const author = useAuthor(message);
  const me = useMe();
  const { call, content, sticker, poll, attachments, cards, createdAt, authorId } = message;
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
          {dayAndTime(createdAt)}
        </time>
        <span className="-my-1 ms-auto flex shrink-0 touch:-my-2.5">{actions}</span>
      </header>
      {sticker !== undefined && <Sticker id={sticker.id} name={content} />}
      {content !== "" && sticker === undefined && (
        <div id={textId} className="max-h-60 overflow-y-auto">
          <Markdown content={content} />
        </div>
      )}
      {poll !== undefined && (
        <ul className="markdown list-disc ps-5 text-muted">
          {poll.options.map((text, index) => (
            <li key={index}>{text}</li>
          ))}
        </ul>
      )}
      {call !== undefined && <p>{callText(call, authorId === me.id)}</p>}
      {attachments !== undefined && <Attachments message={message} />}
      {cards !== undefined && <Cards message={message} cards={cards} />}
      {children}
    </article>
  );
}
