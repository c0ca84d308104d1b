import type { ChannelState, Message } from "@fanfare/contract";
import { ArrowUpLeft, AtSign, Hash, type LucideIcon, MessagesSquare, SearchX, Users } from "lucide-react";
import { type MouseEvent, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useChannelState, useGroup } from "../data/groups.ts";
import { type Search, useSearch } from "../data/search.ts";
import { PagedList } from "../shared/paged-list.tsx";
import { openPanel } from "../state/panels.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { useIsPhone } from "../ui/hooks.ts";
import { useMessagePlace } from "../inbox/use-message-place.ts";
import { useDirect } from "../people/directs/use-direct.ts";
import { MentionsProvider, MessageCard } from "../channel/messages/item/message-card.tsx";
import "./search.css";
import { matchWords } from "./match-words.ts";
import { chooseScope } from "./search-store.ts";

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
  const messages = data?.messages ?? [];
  return (
    <div ref={list} className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3">
      <p role="status" className={messages.length === 0 ? "sr-only" : "text-xs text-muted"}>
        {data === undefined
          ? t("searching")
          : hasNextPage
            ? t("foundMore", { count: messages.length })
            : t("found", { count: messages.length })}
      </p>
      {data?.isComplete === false && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">{t("incomplete")}</p>
      )}
      <PagedList
        pages={pages}
        items={messages}
        empty={<EmptyState icon={SearchX} title={t("none")} text={t("noneText")} />}
        endless
      >
        {(found) => (
          <ol className="grid gap-2">
            {found.map((message, index) => (
              <li key={message.id}>
                <FoundMessage
                  message={message}
                  isNamed={found[index - 1]?.channelId !== message.channelId}
                  isEverywhere={isEverywhere}
                />
              </li>
            ))}
          </ol>
        )}
      </PagedList>
    </div>
  );
}

interface FoundMessageProps extends Pick<SearchResultsProps, "isEverywhere"> {
  message: Message;
  /** Whether its place is shown, because it differs from the previous result's. */
  isNamed: boolean;
}

/** A result with its place. A click jumps to it. */
function FoundMessage({ message, isNamed, isEverywhere }: FoundMessageProps) {
  const { t } = useTranslation("search");
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const { path, channel } = useMessagePlace(message);
  const jump = () => {
    if (path === null) return;
    // Keeps the results when another group is opened.
    if (isEverywhere) chooseScope("everywhere");
    // The panel would cover the message.
    if (isPhone) openPanel(null);
    navigate(path);
  };
  const click = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,audio") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };
  return (
    // The nested button is for the keyboard.
    <div className="grid cursor-pointer gap-1" onClick={click} role="presentation">
      {isNamed && channel !== undefined && <PlaceName channel={channel} isEverywhere={isEverywhere} />}
      <MentionsProvider groupId={channel?.groupId ?? null}>
        <MessageCard
          message={message}
          actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("jump")} onClick={jump} />}
        />
      </MentionsProvider>
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

const NAME = "search-words";

/** Highlights words in an element with the CSS Custom Highlight API, if the browser has it. */
function useHighlights(within: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = within.current;
    if (root === null || !("highlights" in CSS)) return undefined;
    const mark = (): void => {
      CSS.highlights.set(NAME, new Highlight(...rangesIn(root, words)));
    };
    mark();
    // Results and names are loaded later.
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [within, words]);
}

function rangesIn(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  for (const text of root.querySelectorAll(".markdown")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const [start, end] of matchWords(node.nodeValue ?? "", words)) {
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, end);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
