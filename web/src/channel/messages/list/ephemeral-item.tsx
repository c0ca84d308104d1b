import type { Ephemeral } from "@fanfare/contract";
import { EyeOff, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { shortTime } from "../../../shared/times.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { dismissEphemeral } from "../ephemerals.ts";
import { Cards } from "../item/cards.tsx";
import { Controls } from "../item/controls.tsx";
import { useAuthor } from "../item/use-author.ts";
import { Markdown } from "../markdown/markdown.tsx";

/** A message of a bot that only this user sees. */
export function EphemeralItem({ ephemeral }: { ephemeral: Ephemeral }) {
  const { t } = useTranslation("messages");
  const { authorId, channelId, content, cards, controls, createdAt } = ephemeral;
  const author = useAuthor({ authorId, channelId, nonce: "", as: undefined });
  return (
    <div
      role="group"
      aria-label={t("ephemeral.note")}
      className="column mt-message flex gap-4 bg-hover/60 py-1.5 md:rounded-md"
    >
      <div className="w-10 shrink-0">
        <Avatar name={author.name} id={authorId} src={author.avatarUrl} size={40} />
      </div>
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <EyeOff size={12} aria-hidden className="shrink-0" />
          {t("ephemeral.note")}
        </p>
        <p className="flex items-baseline gap-2 leading-snug">
          <span className="truncate font-semibold">{author.name}</span>
          <Badge>{t("author.bot")}</Badge>
          <time dateTime={createdAt} className="shrink-0 text-xs text-muted">
            {shortTime(createdAt)}
          </time>
        </p>
        {content !== "" && (
          <div className="message-text">
            <Markdown content={content} />
          </div>
        )}
        {cards !== undefined && <Cards cards={cards} />}
        {controls !== undefined && <Controls message={ephemeral} controls={controls} />}
      </div>
      <IconButton
        icon={X}
        size="sm"
        label={t("ephemeral.dismiss")}
        onClick={() => dismissEphemeral(ephemeral)}
      />
    </div>
  );
}
