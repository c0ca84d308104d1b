import type { Message } from "@fanfare/contract";
import { CornerUpRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAsk } from "../../../data/data-context.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { MarkdownPreview } from "../markdown/preview.tsx";
import { useMessageContext } from "../list/message-context.ts";
import { useAuthor } from "./use-author.ts";

/** One line about the message that is answered; it leads there. */
export function ReplyPreview({ messageId }: { messageId: string }) {
  const { view } = useMessageContext();
  const held = view.snapshot.messages.find(({ id }) => id === messageId);
  if (held !== undefined) return <Shown message={held} />;
  return <Asked messageId={messageId} />;
}

/** An older message than those that are held. */
function Asked({ messageId }: { messageId: string }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  const { data, isError } = useAsk("message.get", { channelId: view.channelId, messageId });
  if (data !== undefined) return <Shown message={data.message} />;
  return <Line>{isError ? t("reply.gone") : "…"}</Line>;
}

function Shown({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { jumpTo } = useMessageContext();
  const author = useAuthor(message);
  if (message.deletedAt !== null) return <Line>{t("reply.gone")}</Line>;
  return (
    <button
      type="button"
      className="flex max-w-full items-center gap-1.5 text-left text-sm text-muted hover:text-text"
      onClick={() => jumpTo(message.id)}
    >
      <CornerUpRight size={14} aria-hidden className="shrink-0" />
      <span className="sr-only">{t("reply.to")} </span>
      <Avatar name={author.name} id={message.authorId} src={author.avatarUrl} size={16} />
      <span className="shrink-0 font-medium">{author.name}</span>
      <span className="truncate">
        {message.content === "" ? t("reply.attachment") : <MarkdownPreview content={message.content} />}
      </span>
    </button>
  );
}

function Line({ children }: { children: string }) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-muted italic">
      <CornerUpRight size={14} aria-hidden />
      {children}
    </p>
  );
}
