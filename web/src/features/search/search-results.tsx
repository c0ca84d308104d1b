import { SearchX } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { type Search, useSearch } from "../../data/search.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { MentionsProvider } from "../messages/item/mentions.tsx";
import { FoundMessage } from "./found-message.tsx";
import { useHighlights } from "./use-highlights.ts";

interface SearchResultsProps {
  search: Search;
  /** Of the group that is searched. */
  channels: readonly { id: string; name: string }[];
}

/** What was found, the newest first; the end of the list loads more. */
export function SearchResults({ search, channels }: SearchResultsProps) {
  const { t } = useTranslation("search");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useSearch(search);
  const list = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useHighlights(list, search.text ?? "");
  const messages = data?.messages ?? [];
  const goesOn = hasNextPage && !isFetchingNextPage && error === null;
  useEffect(() => {
    if (!goesOn || end.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) void fetchNextPage();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [goesOn, fetchNextPage]);
  const isNone = data !== undefined && messages.length === 0 && !hasNextPage;
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
      {data === undefined && error === null && <SkeletonRows withAvatar />}
      {isNone && <EmptyState icon={SearchX} title={t("none")} text={t("noneText")} />}
      <MentionsProvider groupId={search.groupId ?? null}>
        <ol className="grid gap-2">
          {messages.map((message, index) => (
            <li key={message.id}>
              <FoundMessage
                message={message}
                isNamed={messages[index - 1]?.channelId !== message.channelId}
                channelName={channels.find(({ id }) => id === message.channelId)?.name}
              />
            </li>
          ))}
        </ol>
      </MentionsProvider>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {hasNextPage && error === null && (
        <div ref={end} className="flex justify-center py-1">
          <Button size="sm" variant="ghost" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("more")}
          </Button>
        </div>
      )}
    </div>
  );
}
