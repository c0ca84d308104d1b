import { CircleAlert, LoaderCircle, type LucideIcon, CircleCheck, Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "./button.tsx";
import { cx } from "./cx.ts";
import { errorText } from "../shared/use-action.ts";
import { Toast as Base } from "@base-ui/react/toast";

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

const MAX_SHOWN = 3;
const SHOWN_MS = 5000;
/** Users need more time to act. */
const SHOWN_WITH_ACTION_MS = 10_000;

const manager = Base.createToastManager();

/** Shows a short message and announces it. Not for anything that must not be missed. */
export function showToast({ text, tone = "info", action }: ToastOptions): void {
  manager.add({
    description: text,
    type: tone,
    priority: tone === "danger" ? "high" : "low",
    timeout: action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS,
    ...(action && { actionProps: { children: action.label, onClick: action.onClick } }),
  });
}

/** For `catch` blocks without their own error message. */
export function showFailure(error: unknown): void {
  showToast({ text: errorText(error), tone: "danger" });
}

/** Must be within UiProvider. Toasts appear in a bottom corner, on phones at the top. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={MAX_SHOWN}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 top-[calc(env(safe-area-inset-top)+0.75rem)] z-60 flex flex-col gap-2 outline-none md:inset-x-auto md:top-auto md:end-4 md:bottom-24 md:w-88">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList() {
  const { t } = useTranslation("ui");
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "up"]}
      className="rounded-lg border border-line bg-raised shadow-raised rise data-limited:hidden"
    >
      <Base.Content className="flex items-start gap-2.5 px-3.5 py-3 text-sm">
        <ToneIcon tone={toast.type} />
        <Base.Description className="flex-1 wrap-anywhere" />
        {toast.actionProps && (
          <Base.Action className="-my-1 min-h-control-sm rounded-md px-2 font-semibold text-accent-text hover:bg-hover" />
        )}
        <Base.Close
          render={
            <IconButton icon={X} label={t("close")} size="sm" className="-my-1 -me-1.5" tooltipSide="left" />
          }
        />
      </Base.Content>
    </Base.Root>
  ));
}

const TONES = {
  info: { icon: Info, color: "text-info" },
  good: { icon: CircleCheck, color: "text-good" },
  danger: { icon: CircleAlert, color: "text-danger-text" },
};

function ToneIcon({ tone }: { tone: string | undefined }) {
  const { icon: Shape, color } = TONES[(tone ?? "info") as keyof typeof TONES];
  return <Shape size={18} aria-hidden className={cx("mt-0.5 shrink-0", color)} />;
}
