import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PagedList } from "../shared/paged-list.tsx";
import { SkeletonRows } from "../ui/feedback.tsx";

interface AdminListProps<T extends { id: string }> {
  label: string;
  pages: UseInfiniteQueryResult<T[]>;
  empty: ReactNode;
  children: (item: T) => ReactNode;
}

/** A bordered list in the admin pages. */
export function AdminList<T extends { id: string }>({ label, pages, empty, children }: AdminListProps<T>) {
  return (
    <PagedList
      pages={pages}
      items={pages.data ?? []}
      placeholder={<SkeletonRows count={6} withAvatar />}
      empty={empty}
    >
      {(items) => (
        <ul aria-label={label} className="grid divide-y divide-line rounded-lg border border-line">
          {items.map((item) => (
            <li key={item.id} className="px-1 py-1">
              {children(item)}
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}
