import type { Message } from "@fanfare/contract";
import { CornerUpRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMessage } from "../../../data/channel-messages.ts";
import { Avatar } from "../../../ui/display.tsx";
import { useMessageContext } from "../list/use-rows.ts";
import { MessagePreview } from "./message-preview.tsx";
import { useAuthor } from "./use-author.ts";

/** The message that another one replies to. A click jumps to it. */
export function ReplyPreview({ messageId }: { messageId: string }) {
  const { view } = useMessageContext();
  const existing = view.snapshot.messages.find(({ id }) => id === messageId);
  if (existing !== undefined) return <ReplyLink message={existing} />;
  return <FetchedReply messageId={messageId} />;
}

function FetchedReply({ messageId }: { messageId: string }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  const { data: message, isError } = useMessage(view.channelId, messageId);
  if (message !== undefined) return <ReplyLink message={message} />;
  return <Line>{isError ? t("reply.deleted") : "…"}</Line>;
}

function ReplyLink({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { jumpTo } = useMessageContext();
  const author = useAuthor(message);
  if (message.deletedAt !== null) return <Line>{t("reply.deleted")}</Line>;
  return (
    <button
      type="button"
      className="flex max-w-full items-center gap-1.5 text-start text-sm text-muted hover:text-text"
      onClick={() => jumpTo(message.id)}
    >
      <CornerUpRight size={14} aria-hidden className="shrink-0" />
      <span className="sr-only">{t("reply.to")} </span>
      <Avatar name={author.name} id={message.authorId} src={author.avatarUrl} size={16} />
      <span className="shrink-0 font-medium">{author.name}</span>
      <span dir="auto" className="truncate">
        <MessagePreview message={message} />
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
