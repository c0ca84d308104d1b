import type { Message } from "@fanfare/contract";
import { AtSign, CornerUpRight, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { MarkdownPreview } from "../messages/markdown/preview.tsx";
import { useAuthor } from "../messages/item/use-author.ts";

interface ReplyBarProps {
  message: Message;
  mentions: boolean;
  onMentions: (mentions: boolean) => void;
  onCancel: () => void;
}

/** What the next message answers, and whether that tells its author. */
export function ReplyBar({ message, mentions, onMentions, onCancel }: ReplyBarProps) {
  const { t } = useTranslation("composer");
  const me = useMe();
  const { name } = useAuthor(message);
  const isOwn = message.authorId === me.id;
  return (
    <div className="flex items-center gap-1.5 border-b border-line py-1 pr-1.5 pl-3 text-sm">
      <CornerUpRight size={15} aria-hidden className="shrink-0 text-muted" />
      <p className="flex min-w-0 flex-1 items-baseline gap-1.5">
        <span className="shrink-0 font-medium">{t("reply.to", { name })}</span>
        <span className="truncate text-muted">
          {message.content === "" ? t("reply.attachment") : <MarkdownPreview content={message.content} />}
        </span>
      </p>
      {!isOwn && (
        <IconButton
          icon={AtSign}
          size="sm"
          label={t("reply.mention", { name })}
          pressed={mentions}
          onClick={() => onMentions(!mentions)}
        />
      )}
      <IconButton icon={X} size="sm" label={t("reply.cancel")} onClick={onCancel} />
    </div>
  );
}
