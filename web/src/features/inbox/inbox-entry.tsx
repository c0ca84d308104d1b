import type { InboxItem } from "@fanfare/contract";
import { ArrowUpLeft } from "lucide-react";
import { type MouseEvent, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useGroup } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { MentionsProvider } from "../messages/item/mentions.tsx";
import { MessageCard } from "../messages/item/message-card.tsx";
import { reasonOf } from "./reason.ts";
import { useMessagePlace } from "./use-message-place.ts";

/** A message that concerns the user: where, why, and the message itself. A click anywhere on it goes there. */
export function InboxEntry({ item: { message, groupId, unread } }: { item: InboxItem }) {
  const { t } = useTranslation("inbox");
  const me = useMe();
  const group = useGroup(groupId ?? "");
  const { path, channel } = useMessagePlace(message);
  const [, navigate] = useLocation();
  const reason = useMemo(() => reasonOf(message, me.id), [message, me.id]);
  const jump = () => {
    if (path !== null) navigate(path);
  };
  const click = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,audio") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };
  const place = [
    group?.name ?? (groupId === null ? t("direct") : ""),
    channel !== undefined && channel.name !== "" && `#${channel.name}`,
  ].filter((part) => typeof part === "string" && part !== "");
  return (
    // The button in it is for the keyboard.
    <div
      role="presentation"
      onClick={click}
      className={cx("grid cursor-pointer gap-1 border-l-3 pl-3", unread ? "border-accent" : "border-line")}
    >
      <p className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted">
        <Badge tone={unread ? "accent" : "neutral"}>{t(`reason.${reason}`)}</Badge>
        <span className="min-w-0 truncate">{place.join(" · ")}</span>
        {unread && <span className="sr-only">{t("unread")}</span>}
      </p>
      <MentionsProvider groupId={groupId}>
        <MessageCard
          message={message}
          actions={
            <IconButton
              icon={ArrowUpLeft}
              size="sm"
              label={t("jump")}
              disabled={path === null}
              onClick={jump}
            />
          }
        />
      </MentionsProvider>
    </div>
  );
}
