import type { Message } from "@fanfare/contract";
import { ArrowUpLeft } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { MentionsProvider, MessageCard } from "../channel/messages/item/message-card.tsx";
import { useGroup } from "../data/groups.ts";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { useMessagePlace } from "./use-message-place.ts";

interface MessageEntryProps {
  message: Message;
  groupId: string | null;
  isStrong: boolean;
  actions?: ReactNode;
  /** Before the message's place. */
  children: ReactNode;
}

/** A message with its place. A click jumps to it. */
export function MessageEntry({ message, groupId, isStrong, actions, children }: MessageEntryProps) {
  const { t } = useTranslation("inbox");
  const group = useGroup(groupId ?? "");
  const { path, channel } = useMessagePlace(message);
  const [, navigate] = useLocation();
  const jump = () => {
    if (path !== null) navigate(path);
  };
  const click = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,input") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };
  const place = [
    group?.name ?? (groupId === null ? t("quick-switcher:kind.direct") : ""),
    channel !== undefined && channel.name !== "" && `#${channel.name}`,
  ].filter((part) => typeof part === "string" && part !== "");
  return (
    // The nested button is for the keyboard.
    <div
      role="presentation"
      onClick={click}
      className={cx(
        "grid cursor-pointer gap-1 border-s-3 ps-3 *:transition-colors hover:*:[article]:border-line-strong",
        isStrong ? "border-accent" : "border-line",
      )}
    >
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted">
        {children}
        <span className="min-w-0 truncate">{place.join(" · ")}</span>
      </div>
      <MentionsProvider groupId={groupId}>
        <MessageCard
          message={message}
          actions={
            <>
              {actions}
              <IconButton
                icon={ArrowUpLeft}
                size="sm"
                label={t("search:jump")}
                disabled={path === null}
                onClick={jump}
              />
            </>
          }
        />
      </MentionsProvider>
    </div>
  );
}
