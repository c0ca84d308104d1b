import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { ErrorNote, Loaded, SkeletonRows } from "../ui/feedback.tsx";
import { errorText } from "./use-action.ts";

type Pages = Pick<
  UseInfiniteQueryResult,
  | "data"
  | "error"
  | "fetchNextPage"
  | "hasNextPage"
  | "isFetchNextPageError"
  | "isFetching"
  | "isFetchingNextPage"
  | "refetch"
>;

interface PagedListProps<T> {
  pages: Pages;
  /** The loaded items to show. */
  items: readonly T[];
  /** Shown while the first page loads. */
  placeholder?: ReactNode;
  /** Shown if there are no items and no more pages. */
  empty?: ReactNode;
  /** Whether scrolling to the end loads the next page. */
  endless?: boolean;
  children: (items: readonly T[]) => ReactNode;
}

/** A list that loads page by page, with its loading, empty and error states and a "Show more" button. */
export function PagedList<T>(props: PagedListProps<T>) {
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

interface RowsProps<T> extends Pick<PagedListProps<T>, "placeholder" | "empty"> {
  label?: string;
  className?: string;
  children: (item: T, index: number) => ReactNode;
}

interface PagedRowsProps<T> extends RowsProps<T>, Pick<PagedListProps<T>, "endless"> {
  pages: Pages & { data: readonly T[] | undefined };
}

/** The loaded items as rows. */
export function PagedRows<T>(props: PagedRowsProps<T>) {
  const { pages, label, className = "grid gap-px", children, ...rest } = props;
  return (
    <PagedList pages={pages} items={pages.data ?? []} {...rest}>
      {(items) => (
        <ul aria-label={label} className={className}>
          {items.map(children)}
        </ul>
      )}
    </PagedList>
  );
}

/** The same for a list that isn't paged. */
export function Rows<T>(props: RowsProps<T> & { of: UseQueryResult<readonly T[]> }) {
  const { of, label, className = "grid gap-px", placeholder, empty, children } = props;
  return (
    <Loaded of={of} placeholder={placeholder}>
      {(items) =>
        items.length === 0 ? (
          empty
        ) : (
          <ul aria-label={label} className={className}>
            {items.map(children)}
          </ul>
        )
      }
    </Loaded>
  );
}
