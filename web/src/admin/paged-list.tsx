import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote, SkeletonRows } from "../ui/feedback.tsx";

interface PagedListProps<T extends { id: string }> {
  label: string;
  query: UseInfiniteQueryResult<T[]>;
  /** What stands in the place of a list without items. */
  empty: ReactNode;
  children: (item: T) => ReactNode;
}

/** A list that comes by pages, with what stands there while it is loaded, where it is empty and where it failed. */
export function PagedList<T extends { id: string }>({ label, query, empty, children }: PagedListProps<T>) {
  const { t } = useTranslation("admin");
  const { data, error, isFetching, isFetchingNextPage, hasNextPage } = query;
  const retry = () => void (data === undefined ? query.refetch() : query.fetchNextPage());
  return (
    <div className="grid gap-3" aria-busy={isFetching}>
      {data === undefined && error === null && <SkeletonRows count={6} withAvatar />}
      {data?.length === 0 && empty}
      {data !== undefined && data.length > 0 && (
        <ul aria-label={label} className="grid divide-y divide-line rounded-lg border border-line">
          {data.map((item) => (
            <li key={item.id} className="px-1 py-1">
              {children(item)}
            </li>
          ))}
        </ul>
      )}
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={retry} />
      {hasNextPage && error === null && (
        <Button
          busy={isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
          className="justify-self-center"
        >
          {t("more")}
        </Button>
      )}
    </div>
  );
}
