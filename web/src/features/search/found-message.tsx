import type { Message } from "@fanfare/contract";
import { ArrowUpLeft, Hash, MessagesSquare } from "lucide-react";
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { openPanel } from "../../state/panels.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { useIsPhone } from "../../ui/use-media.ts";
import { useMessagePlace } from "../inbox/use-message-place.ts";
import { MessageCard } from "../messages/item/message-card.tsx";

/** A message that was found, and where: a click anywhere on it goes there. */
export function FoundMessage({
  message,
  isNamed,
  channelName,
}: {
  message: Message;
  /** Whether it says where it stands: the one before stands elsewhere. */
  isNamed: boolean;
  /** Where it is known; a thread's is asked for. */
  channelName: string | undefined;
}) {
  const { t } = useTranslation("search");
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const { path, channel } = useMessagePlace(message);
  const isThread = channel?.kind === "thread";
  const name = channelName ?? channel?.name ?? "";
  const jump = () => {
    if (path === null) return;
    // It would be in front of the message.
    if (isPhone) openPanel(null);
    navigate(path);
  };
  const click = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest("a,button,video,audio") !== null;
    if (!isOwn && getSelection()?.isCollapsed !== false) jump();
  };
  const Icon = isThread ? MessagesSquare : Hash;
  return (
    // The button in it is for the keyboard.
    <div className="grid cursor-pointer gap-1" onClick={click} role="presentation">
      {isNamed && name !== "" && (
        <p className="flex min-w-0 items-center gap-1 pt-1 text-xs font-semibold text-muted">
          <Icon size={13} aria-hidden className="shrink-0" />
          <span className="truncate">{name}</span>
        </p>
      )}
      <MessageCard
        message={message}
        actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("jump")} onClick={jump} />}
      />
    </div>
  );
}
