import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";

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
