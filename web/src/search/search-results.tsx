import type { Message } from "@fanfare/contract";
import { ArrowUpLeft, Hash, MessagesSquare, SearchX } from "lucide-react";
import { type MouseEvent, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { type Search, useSearch } from "../data/search.ts";
import { PagedList } from "../shared/paged-list.tsx";
import { openPanel } from "../state/panels.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { IconButton } from "../ui/button.tsx";
import { useIsPhone } from "../ui/hooks.ts";
import { useMessagePlace } from "../inbox/use-message-place.ts";
import { MentionsProvider, MessageCard } from "../channel/messages/item/message-card.tsx";
import "./search.css";
import { matchWords } from "./match-words.ts";

interface SearchResultsProps {
  search: Search;
  /** Of the group that is searched. */
  channels: readonly { id: string; name: string }[];
}

/** What was found, the newest first; the end of the list loads more. */
export function SearchResults({ search, channels }: SearchResultsProps) {
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
      <MentionsProvider groupId={search.groupId ?? null}>
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
                    channelName={channels.find(({ id }) => id === message.channelId)?.name}
                  />
                </li>
              ))}
            </ol>
          )}
        </PagedList>
      </MentionsProvider>
    </div>
  );
}

/** A message that was found, and where: a click anywhere on it goes there. */
function FoundMessage({
  message,
  isNamed,
  channelName,
}: {
  message: Message;
  /** Whether it says where it stands: the one before stands elsewhere. */
  isNamed: boolean;
  /** Where it is known; a thread's is asked for. */
  channelName: string | undefined;
}) {
  const { t } = useTranslation("search");
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const { path, channel } = useMessagePlace(message);
  const isThread = channel?.kind === "thread";
  const name = channelName ?? channel?.name ?? "";
  const jump = () => {
    if (path === null) return;
    // It would be in front of the message.
    if (isPhone) openPanel(null);
    navigate(path);
  };
  const click = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,audio") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };
  const Icon = isThread ? MessagesSquare : Hash;
  return (
    // The button in it is for the keyboard.
    <div className="grid cursor-pointer gap-1" onClick={click} role="presentation">
      {isNamed && name !== "" && (
        <p className="flex min-w-0 items-center gap-1 pt-1 text-xs font-semibold text-muted">
          <Icon size={13} aria-hidden className="shrink-0" />
          <span className="truncate">{name}</span>
        </p>
      )}
      <MessageCard
        message={message}
        actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("jump")} onClick={jump} />}
      />
    </div>
  );
}

const NAME = "search-words";

/** Marks words in all texts within an element, without changing them; where the browser cannot, they stay as they are. */
function useHighlights(within: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = within.current;
    if (root === null || !("highlights" in CSS)) return undefined;
    const mark = (): void => {
      CSS.highlights.set(NAME, new Highlight(...rangesIn(root, words)));
    };
    mark();
    // More is found, and names come later.
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
