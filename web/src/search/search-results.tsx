import type { ChannelState, MessageExcerpt, Message, MessageContext } from "@fanfare/contract";
import { ArrowUpLeft, AtSign, Hash, type LucideIcon, MessagesSquare, SearchX, Users } from "lucide-react";
import { type MouseEvent, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useChannelState, useGroup } from "../data/groups.ts";
import { useIsBlocked } from "../data/me.ts";
import { type Search, useSearch } from "../data/search.ts";
import { PagedRows } from "../shared/paged-list.tsx";
import { openPanel } from "../state/panels.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { useIsPhone } from "../ui/hooks.ts";
import { useMessagePlace } from "../inbox/use-message-place.ts";
import { useDirect } from "../people/directs/use-direct.tsx";
import { MentionsProvider, MessageCard } from "../channel/messages/item/message-card.tsx";
import { MessagePreview } from "../channel/messages/item/message-preview.tsx";
import { useAuthor } from "../channel/messages/item/use-author.ts";
import { useHighlights } from "./highlights.ts";
import { keepResults, chooseScope, useSearchText } from "./search-store.ts";

interface SearchResultsProps {
  search: Search;
  /** Whether several groups were searched; then places are shown with their group. */
  isEverywhere: boolean;
}

/** Newest first. Scrolling to the end loads more. */
export function SearchResults({ search, isEverywhere }: SearchResultsProps) {
  const { t } = useTranslation("search");
  const pages = useSearch(search);
  const { data, hasNextPage } = pages;
  const list = useRef<HTMLDivElement>(null);
  useHighlights(list, search.text ?? "");
  const messages = data === undefined ? [] : withNeighbors(data.messages, data.context);
  const hasResults = messages.length > 0;
  useLayoutEffect(() => {
    if (hasResults) list.current?.scrollTo({ top: useSearchText.getState().top });
  }, [hasResults]);
  return (
    <div ref={list} className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3">
      <p role="status" className={hasResults ? "text-xs text-muted" : "sr-only"}>
        {data === undefined
          ? t("searching")
          : hasNextPage
            ? t("foundMore", { count: messages.length })
            : t("found", { count: messages.length })}
      </p>
      {data?.isComplete === false && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">{t("incomplete")}</p>
      )}
      <PagedRows
        pages={{ ...pages, data: pages.data && messages }}
        className="grid grid-cols-1 gap-4"
        empty={<EmptyState icon={SearchX} title={t("none")} text={t("noneText")} />}
        endless
      >
        {(found, index) => (
          <li key={found.message.id}>
            <FoundMessage
              found={found}
              isNamed={messages[index - 1]?.message.channelId !== found.message.channelId}
              isEverywhere={isEverywhere}
              onLeave={() => keepResults(list.current?.scrollTop ?? 0)}
            />
          </li>
        )}
      </PagedRows>
    </div>
  );
}

interface FoundMessageProps extends Pick<SearchResultsProps, "isEverywhere"> {
  found: FoundWithNeighbors;
  /** Whether its place is shown, because it differs from the previous result's. */
  isNamed: boolean;
  /** Called before the jump. */
  onLeave: () => void;
}

/** A result with its place and its neighbors. A click jumps to it or to the neighbor. */
function FoundMessage({ found, isNamed, isEverywhere, onLeave }: FoundMessageProps) {
  const { message, before, after } = found;
  const { t } = useTranslation("search");
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const { path, channel } = useMessagePlace(message);
  const jump = (to: string | null) => {
    if (to === null) return;
    // Keeps the results when another group is opened.
    if (isEverywhere) chooseScope("everywhere");
    onLeave();
    // The panel would cover the message.
    if (isPhone) openPanel(null);
    navigate(to);
  };
  const clickTo = (to: string | null) => (event: MouseEvent) => {
    event.stopPropagation();
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,input") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump(to);
  };
  return (
    // The nested button is for the keyboard.
    <div
      className="grid cursor-pointer grid-cols-1 gap-1 *:transition-colors hover:*:[article]:border-line-strong"
      onClick={clickTo(path)}
      role="presentation"
    >
      {isNamed && channel !== undefined && <PlaceName channel={channel} isEverywhere={isEverywhere} />}
      <MentionsProvider groupId={channel?.groupId ?? null}>
        {before !== null && <Neighbor message={before} clickTo={clickTo} />}
        <MessageCard
          message={message}
          actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("jump")} onClick={() => jump(path)} />}
        />
        {after !== null && <Neighbor message={after} clickTo={clickTo} />}
      </MentionsProvider>
    </div>
  );
}

interface NeighborProps {
  message: MessageExcerpt;
  clickTo: (path: string | null) => (event: MouseEvent) => void;
}

/** What was written just before or after a result, in one line. The keyboard gets there with the result. */
function Neighbor({ message, clickTo }: NeighborProps) {
  const { t } = useTranslation("search");
  const author = useAuthor(message);
  const { path } = useMessagePlace(message);
  const isBlocked = useIsBlocked(message.authorId);
  return (
    <div
      role="presentation"
      className="flex min-h-6 min-w-0 items-center gap-1.5 px-3 text-xs text-muted hover:text-text touch:min-h-9"
      onClick={clickTo(path)}
    >
      {isBlocked ? (
        t("messages:blocked.count", { count: 1 })
      ) : (
        <>
          <span className="max-w-2/5 shrink-0 truncate font-semibold">{author.name}</span>
          <span dir="auto" className="truncate">
            <MessagePreview message={message} />
          </span>
        </>
      )}
    </div>
  );
}

interface PlaceNameProps extends Pick<SearchResultsProps, "isEverywhere"> {
  channel: ChannelState;
}

function PlaceName({ channel, isEverywhere }: PlaceNameProps) {
  if (channel.groupId !== null) return <GroupPlace channel={channel} isEverywhere={isEverywhere} />;
  return isEverywhere ? <DirectPlace channel={channel} /> : null;
}

/** A channel or thread by name. */
function GroupPlace({ channel: { id, name, groupId, parentId }, isEverywhere }: PlaceNameProps) {
  const group = useGroup(groupId ?? "");
  const { data: parent } = useChannelState(parentId ?? id);
  const place = name === "" ? parent?.name : name;
  return (
    <PlaceLine
      icon={parentId === null ? Hash : MessagesSquare}
      name={place ?? ""}
      groupName={isEverywhere ? group?.name : undefined}
    />
  );
}

function DirectPlace({ channel }: Pick<PlaceNameProps, "channel">) {
  const { title } = useDirect(channel);
  return <PlaceLine icon={channel.kind === "direct" ? AtSign : Users} name={title} />;
}

function PlaceLine({
  icon: Icon,
  name,
  groupName,
}: {
  icon: LucideIcon;
  name: string;
  groupName?: string | undefined;
}) {
  return (
    <p className="flex min-w-0 items-center gap-1 pt-1 text-xs text-muted">
      <Icon size={13} aria-hidden className="shrink-0" />
      <span className={cx("truncate font-semibold", groupName !== undefined && "max-w-2/3 shrink-0")}>
        {name}
      </span>
      {groupName !== undefined && (
        <>
          <span aria-hidden>·</span>
          <span className="truncate">{groupName}</span>
        </>
      )}
    </p>
  );
}

interface FoundWithNeighbors extends Omit<MessageContext, "messageId"> {
  message: Message;
}

/**
 * The results with the messages just before and after each. A neighbor that is the result above or below, or that the result above
 * shows, isn't shown again.
 */
export function withNeighbors(
  messages: readonly Message[],
  context: readonly MessageContext[],
): FoundWithNeighbors[] {
  const byId = new Map(context.map((one) => [one.messageId, one]));
  const shown: FoundWithNeighbors[] = [];
  for (const [index, message] of messages.entries()) {
    const above = shown.at(-1);
    const near = new Set([above?.message.id, above?.before?.id, messages[index + 1]?.id]);
    const { before = null, after = null } = byId.get(message.id) ?? {};
    const ifNew = (one: typeof before) => (one === null || near.has(one.id) ? null : one);
    shown.push({ message, before: ifNew(before), after: ifNew(after) });
  }
  return shown;
}
