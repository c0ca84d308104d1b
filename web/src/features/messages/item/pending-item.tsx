import type { PendingMessage } from "@fanfare/client";
import { useTranslation } from "react-i18next";
import { useMe } from "../../../data/me.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { cx } from "../../../ui/cx.ts";
import { Markdown } from "../markdown/markdown.tsx";

interface PendingItemProps {
  message: PendingMessage;
  startsGroup: boolean;
}

/** An own message that the server has not confirmed yet. */
export function PendingItem({ message, startsGroup }: PendingItemProps) {
  const { t } = useTranslation("messages");
  const me = useMe();
  return (
    <div className={cx("message pending flex gap-4 px-4 py-0.5 md:px-5", startsGroup && "mt-message")}>
      <div className="w-10 shrink-0">
        {startsGroup && <Avatar name={me.nickname} id={me.id} src={me.avatarUrl} size={40} />}
      </div>
      <div className="min-w-0 flex-1">
        {startsGroup && <p className="leading-snug font-semibold">{me.nickname}</p>}
        <div className="message-text opacity-60">
          <Markdown content={message.content} />
        </div>
        <p className="text-xs text-muted">{t("item.sending")}</p>
      </div>
    </div>
  );
}
