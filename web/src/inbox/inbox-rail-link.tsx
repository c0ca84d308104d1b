import { Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useInboxUnreadCount } from "../data/inbox.ts";
import { inboxPath } from "../routes.ts";
import { RailLink } from "../groups/rail-link.tsx";

/** The way to the inbox, with the number of what is unread there. */
export function InboxRailLink() {
  const { t } = useTranslation("inbox");
  const [path] = useLocation();
  const { data: count = 0 } = useInboxUnreadCount();
  return (
    <RailLink
      href={inboxPath()}
      name={t("title")}
      isActive={path === inboxPath()}
      unread={count > 0}
      count={count}
      countLabel={t("unreadCount", { count })}
    >
      <span className="flex size-11 items-center justify-center rounded-lg bg-canvas text-muted group-hover:text-text group-aria-[current=page]:bg-accent group-aria-[current=page]:text-on-accent">
        <Inbox size={22} aria-hidden />
      </span>
    </RailLink>
  );
}
