import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { ErrorNote, SkeletonRows } from "../ui/feedback.tsx";
import { errorText } from "./use-action.ts";

interface PagedListProps<D, T> {
  pages: UseInfiniteQueryResult<D>;
  /** What of the pages is shown. */
  items: readonly T[];
  /** Shown until the first page is there. */
  placeholder?: ReactNode;
  /** Shown where there are no items, and no more pages. */
  empty?: ReactNode;
  /** Whether the next page is loaded as soon as the end of the list comes into view. */
  endless?: boolean;
  children: (items: readonly T[]) => ReactNode;
}

/** A list that comes in pages: what is shown while it loads, where it is empty or has failed, and the button for more. */
export function PagedList<D, T>(props: PagedListProps<D, T>) {
  const { pages, items, placeholder = <SkeletonRows withAvatar />, empty, endless = false, children } = props;
  const { t } = useTranslation("ui");
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const end = useRef<HTMLDivElement>(null);
  const hasMore = hasNextPage && error === null;
  const goesOn = endless && hasMore && !isFetchingNextPage;
  useEffect(() => {
    if (!goesOn || end.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) void fetchNextPage();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [goesOn, fetchNextPage]);
  const retry = () => void (isFetchNextPageError ? fetchNextPage() : pages.refetch());
  return (
    <div className="grid gap-3" aria-busy={pages.isFetching}>
      {data === undefined && error === null && placeholder}
      {items.length > 0 && children(items)}
      {data !== undefined && items.length === 0 && !hasNextPage && empty}
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={retry} />
      {hasMore && (
        <div ref={end} className="flex justify-center">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("more")}
          </Button>
        </div>
      )}
    </div>
  );
}
