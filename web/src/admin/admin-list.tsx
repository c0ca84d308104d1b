import type { ComponentProps } from "react";
import { PagedRows } from "../shared/paged-list.tsx";
import { SkeletonRows } from "../ui/feedback.tsx";

export function AdminList<T>(props: ComponentProps<typeof PagedRows<T>>) {
  return (
    <PagedRows
      placeholder={<SkeletonRows count={6} withAvatar />}
      className="grid divide-y divide-line rounded-lg border border-line *:px-1 *:py-1"
      {...props}
    />
  );
}
