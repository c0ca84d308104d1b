import type { User } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import i18next from "i18next";
import type { Status } from "@fanfare/client";
import { cx } from "../../ui/cx.ts";

/** An ellipsis while loading. */
export function useName(user: User | undefined): string {
  const { t } = useTranslation("members");
  if (user === undefined) return "…";
  return user.deleted === true ? t("deleted") : user.nickname;
}

/** A dash while loading. */
export function userName(user: User | undefined): string {
  if (user === undefined) return "–";
  return user.deleted === true ? i18next.t("group-settings:deletedUser") : user.nickname;
}

const DOTS: Record<Status, string> = {
  online: "bg-good",
  idle: "bg-warn",
  doNotDisturb: "bg-danger",
  offline: "border-2 border-line-strong",
};

export function StatusLine({ status }: { status: Status }) {
  const { t } = useTranslation("members");
  return (
    <span className="flex items-center gap-1.5 text-sm text-muted">
      <span aria-hidden className={cx("size-2 shrink-0 rounded-full", DOTS[status])} />
      {t(`status.${status}`)}
    </span>
  );
}
