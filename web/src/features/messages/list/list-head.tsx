import type { ReactNode } from "react";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";

/** What stands above the first message is always so high, so that nothing moves when older messages come. */
export const HEAD_HEIGHT_PX = 176;

interface ListHeadProps {
  hasOlder: boolean;
  error: string | null;
  onRetry: () => void;
  /** Where there are no older messages. */
  beginning: ReactNode;
}

/** Above the first message: what the channel is for, or the places of older messages while they are loaded. */
export function ListHead({ hasOlder, error, onRetry, beginning }: ListHeadProps) {
  return (
    <div
      className="flex shrink-0 flex-col justify-end gap-2 overflow-hidden px-4 md:px-5"
      style={{ height: HEAD_HEIGHT_PX }}
    >
      {!hasOlder && beginning}
      {hasOlder && error !== null && <ErrorNote text={error} onRetry={onRetry} />}
      {hasOlder && error === null && WIDTHS.map((width) => <MessageSkeleton key={width} width={width} />)}
    </div>
  );
}

const WIDTHS = ["w-3/5", "w-2/5", "w-1/2"];

export function MessageSkeleton({ width }: { width: string }) {
  return (
    <div aria-hidden className="flex shrink-0 gap-4 py-1">
      <Skeleton className="size-10 shrink-0 rounded-full" />
      <div className="grid flex-1 content-start gap-2 pt-1">
        <Skeleton className="h-3.5 w-28" />
        <Skeleton className={`h-3.5 ${width}`} />
      </div>
    </div>
  );
}
