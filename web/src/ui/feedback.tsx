import { CircleAlert, LoaderCircle, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  text?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
  /** The main heading of the page, where nothing else is. */
  isPage?: boolean;
}

/** Where there is nothing yet: says why, and what to do. */
export function EmptyState({ icon: Icon, title, text, action, isPage = false }: EmptyStateProps) {
  const Heading = isPage ? "h1" : "p";
  return (
    <div className="m-auto grid max-h-full max-w-sm justify-items-center gap-2 overflow-y-auto p-6 text-center">
      {Icon && (
        <span className="mb-2 flex size-14 items-center justify-center rounded-full bg-accent-soft text-accent-text">
          <Icon size={26} aria-hidden />
        </span>
      )}
      <Heading className="text-lg leading-snug font-semibold">{title}</Heading>
      {text !== undefined && <p className="text-muted">{text}</p>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** What went wrong and what to do; nothing when `text` is null. */
export function ErrorNote({ text, onRetry }: { text: string | null | undefined; onRetry?: () => void }) {
  const { t } = useTranslation("ui");
  const hasText = typeof text === "string" && text !== "";
  return (
    // The region is there before its text: only then is the text read out.
    <div role="alert" className={hasText ? undefined : "hidden"}>
      {hasText && (
        <div className="flex items-start gap-2.5 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text">
          <CircleAlert size={18} aria-hidden className="mt-px shrink-0" />
          <p className="flex-1 wrap-anywhere">{text}</p>
          {onRetry && (
            <Button size="sm" variant="danger-ghost" className="-my-1" onClick={onRetry}>
              {t("retry")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** The place of something that is being loaded; its size comes by `className`, and its rounding where it is another one. */
export function Skeleton({ className = "" }: { className?: string }) {
  const isRounded = className.includes("rounded-");
  return (
    <span aria-hidden className={cx("block animate-pulse bg-hover", !isRounded && "rounded-sm", className)} />
  );
}

/** The places of so many rows; says to screen readers that something is loaded. */
export function SkeletonRows({ count = 5, withAvatar = false }: { count?: number; withAvatar?: boolean }) {
  const { t } = useTranslation("ui");
  return (
    <div role="status" className="grid gap-1">
      <span className="sr-only">{t("loading")}</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="flex min-h-row items-center gap-2.5 px-2">
          {withAvatar && <Skeleton className="size-8 rounded-full" />}
          <Skeleton className={cx("h-3.5", WIDTHS[index % WIDTHS.length])} />
        </div>
      ))}
    </div>
  );
}

const WIDTHS = ["w-32", "w-24", "w-40", "w-28", "w-36"];

/** Something runs. With a `label` it says so to screen readers too. */
export function Spinner({
  size = 20,
  label,
  className,
}: {
  size?: number;
  label?: string;
  className?: string;
}) {
  return (
    <span role={label === undefined ? undefined : "status"} className={cx("inline-flex", className)}>
      <LoaderCircle size={size} aria-hidden className="animate-spin" />
      {label !== undefined && <span className="sr-only">{label}</span>}
    </span>
  );
}
