import type { Status } from "@fanfare/client";
import { useTranslation } from "react-i18next";
import { cx } from "../../ui/cx.ts";

const DOTS: Record<Status, string> = {
  online: "bg-good",
  idle: "bg-warn",
  doNotDisturb: "bg-danger",
  offline: "border-2 border-line-strong",
};

/** How somebody is, in a word. */
export function StatusLine({ status }: { status: Status }) {
  const { t } = useTranslation("members");
  return (
    <span className="flex items-center gap-1.5 text-sm text-muted">
      <span aria-hidden className={cx("size-2 shrink-0 rounded-full", DOTS[status])} />
      {t(`status.${status}`)}
    </span>
  );
}
