import type { CustomStatus, User } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import i18next from "i18next";
import type { Status } from "@fanfare/client";
import { useAvatarUrl, useNickname } from "../../data/members.ts";
import { useUser } from "../../data/people.ts";
import { useNow } from "../../shared/hooks.ts";
import { cx } from "../../ui/cx.ts";
import { STATUS_DOTS } from "../../ui/display.tsx";

/** An ellipsis while loading. In a group, the user's nickname there. */
export function useName(user: User | undefined, groupId: string | null = null): string {
  const { t } = useTranslation("members");
  const nickname = useNickname(groupId, user?.id);
  if (user === undefined) return "…";
  return user.deleted === true ? t("deleted") : (nickname ?? user.nickname);
}

interface Person {
  /** Undefined while loading. */
  user: User | undefined;
  name: string;
  avatarUrl: string | null;
}

/** A user as the others see them: in a group, with the name and the picture they have there. */
export function usePerson(userId: string, groupId: string | null = null): Person {
  const user = useUser(userId);
  return { user, name: useName(user, groupId), avatarUrl: useAvatarUrl(user, groupId) };
}

/** A dash while loading. */
export function userName(user: User | undefined, nickname?: string): string {
  if (user === undefined) return "–";
  return user.deleted === true ? i18next.t("members:deleted") : (nickname ?? user.nickname);
}

export function StatusLine({ status }: { status: Status }) {
  const { t } = useTranslation("members");
  return (
    <span className="flex items-center gap-1.5 text-sm text-muted">
      <span aria-hidden className={cx("size-2 shrink-0 rounded-full", STATUS_DOTS[status])} />
      {t(`status.${status}`)}
    </span>
  );
}

/** Undefined if the user has no custom status, or it has expired. */
export function useCustomStatus(user: User | undefined): CustomStatus | undefined {
  const nowMs = useNow();
  const status = user?.customStatus;
  return status !== undefined && (status.expiresAt === null || Date.parse(status.expiresAt) > nowMs)
    ? status
    : undefined;
}

/** The emoji alone, with the text as its name; a status without an emoji has a speech balloon. */
export function CustomStatusMark({ user }: { user: User | undefined }) {
  const status = useCustomStatus(user);
  if (status === undefined) return null;
  const { emoji, text } = status;
  return (
    <span role="img" aria-label={text || emoji!} title={text || emoji!} className="shrink-0 text-sm">
      {emoji ?? "💬"}
    </span>
  );
}

export function CustomStatusLine({ user }: { user: User | undefined }) {
  const status = useCustomStatus(user);
  if (status === undefined) return null;
  return (
    <p className="text-sm wrap-anywhere">
      {status.emoji} {status.text}
    </p>
  );
}
