import { CircleAlert, LoaderCircle, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { errorText } from "../shared/use-action.ts";

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  text?: ReactNode;
  /** A button or link for the next step. */
  action?: ReactNode;
  /** Whether the title is the page's main heading. */
  isPage?: boolean;
}

/** Says why something is empty and what to do. */
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

/** What failed and what to do; empty if `text` is null. */
export function ErrorNote({ text, onRetry }: { text: string | null | undefined; onRetry?: () => void }) {
  const { t } = useTranslation("ui");
  const hasText = typeof text === "string" && text !== "";
  return (
    // The live region exists before its text; otherwise screen readers wouldn't announce it.
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

interface PendingProps {
  of: { data: unknown; error: unknown; refetch: () => unknown };
  /** The placeholder while loading. */
  children?: ReactNode;
}

/** A placeholder while data loads, or the error with a retry button. */
export function Pending({
  of: { data, error, refetch },
  children = <SkeletonRows withAvatar />,
}: PendingProps) {
  return (
    <>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {data === undefined && error === null && children}
    </>
  );
}

interface LoadedProps<T> {
  of: PendingProps["of"] & { data: T | undefined };
  placeholder?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What is shown of data that has to be loaded. */
export function Loaded<T>({ of, placeholder, children }: LoadedProps<T>) {
  return (
    <>
      <Pending of={of}>{placeholder}</Pending>
      {of.data !== undefined && children(of.data)}
    </>
  );
}

/** A placeholder while loading. `className` sets its size and, if needed, its rounding. */
export function Skeleton({ className = "" }: { className?: string }) {
  const isRounded = className.includes("rounded-");
  return (
    <span aria-hidden className={cx("block animate-pulse bg-hover", !isRounded && "rounded-sm", className)} />
  );
}

/** Placeholder rows. Announced as loading by screen readers. */
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

/** With a `label`, it is announced by screen readers. */
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

export interface ToastOptions {
  text: string;
  tone?: "info" | "good" | "danger";
  /** Such as "Undo". */
  action?: { label: string; onClick: () => void };
}

/** Until the code that shows them is loaded. */
const waiting: ToastOptions[] = [];
let show = (toast: ToastOptions): void => void waiting.push(toast);

/** Shows a short message and announces it. Not for anything that must not be missed. */
export function showToast(toast: ToastOptions): void {
  show(toast);
}

/** Calls `listener` for each toast, also for those that were waiting for it. */
export function onToast(listener: (toast: ToastOptions) => void): void {
  show = listener;
  for (const toast of waiting.splice(0)) listener(toast);
}

/** For `catch` blocks without their own error message. */
export function showFailure(error: unknown): void {
  showToast({ text: errorText(error), tone: "danger" });
}
