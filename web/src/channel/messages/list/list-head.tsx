import type { ReactNode } from "react";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { cx } from "../../../ui/cx.ts";

/** Fixed, so that nothing moves when older messages load. */
export const HEAD_HEIGHT_PX = 176;

interface ListHeadProps {
  hasOlder: boolean;
  /** Whether it is out of sight. Nothing moves there then, since animations take time in each frame. */
  isAway: boolean;
  error: string | null;
  onRetry: () => void;
  beginning: ReactNode;
}

export function ListHead({ hasOlder, isAway, error, onRetry, beginning }: ListHeadProps) {
  return (
    <div
      className={cx(
        "column flex shrink-0 flex-col justify-end gap-2 overflow-hidden",
        isAway && "**:animate-none",
      )}
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

const PILL =
  "pointer-events-auto inline-flex min-h-control-sm items-center gap-2 rounded-full border px-3.5 text-sm font-medium shadow-raised";

export function JumpToNewest({ count, onJump }: { count: number; onJump: () => void }) {
  const { t } = useTranslation("messages");
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 z-2 flex justify-center px-3">
      <button
        type="button"
        className={cx(
          PILL,
          count > 0
            ? "border-transparent bg-accent text-on-accent hover:bg-accent-hover"
            : "border-line bg-raised hover:bg-hover",
        )}
        onClick={onJump}
      >
        <ArrowDown size={16} aria-hidden />
        {count > 0 ? t("jump.new", { count }) : t("jump.newest")}
      </button>
    </div>
  );
}

interface JumpToUnreadProps {
  count: number;
  onJump: () => void;
  onDismiss: () => void;
}

export function JumpToUnread({ count, onJump, onDismiss }: JumpToUnreadProps) {
  const { t } = useTranslation("messages");
  return (
    <div className="pointer-events-none absolute inset-x-0 top-2 z-2 flex justify-center px-3">
      <div className={cx(PILL, "border-transparent bg-accent pe-1 text-on-accent")}>
        <button type="button" className="inline-flex items-center gap-2 hover:underline" onClick={onJump}>
          <ArrowUp size={16} aria-hidden />
          {t("jump.unread", { count })}
        </button>
        <button
          type="button"
          className="rounded-full px-2.5 py-0.5 hover:bg-accent-hover"
          onClick={onDismiss}
        >
          {t("common:markRead")}
        </button>
      </div>
    </div>
  );
}
